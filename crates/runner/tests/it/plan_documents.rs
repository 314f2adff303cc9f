//! The documentation of `padwise plan` shows real output, and its training loop runs.

use std::fs;
use std::path::Path;

use crate::common::{in_folder, succeeds, write};
use crate::plan::{python, python_has, table};

#[test]
fn the_documentation_shows_real_output() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plans.md");
    let document = fs::read_to_string(document).expect("docs/plans.md");
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "id,frames\nanna-1,320\nanna-2,87\nben-1,512\nben-2,301\n";
    assert!(document.contains(&rows.replace('\n', "\\n")));
    let file = write(&folder, "lengths.csv", rows);
    let arguments = [
        "plan",
        &file,
        "--strategy",
        "sorted",
        "--batch-size",
        "2",
        "--epochs",
        "1",
    ];
    assert!(
        document.contains(&succeeds(&arguments)),
        "{}",
        succeeds(&arguments)
    );
    let table = succeeds(&[&arguments[..], &["--format", "csv"]].concat());
    let first: Vec<&str> = table.split_inclusive('\n').take(3).collect();
    assert!(document.contains(&first.concat()), "{table}");
}

/// The training loop in the documentation. Its reader is tested without PyTorch, too.
#[test]
fn the_documented_training_loop_runs() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let script = docs.join("examples/train_from_plan.py");
    let code = fs::read_to_string(&script).expect("the script");
    let document = fs::read_to_string(docs.join("plans.md")).expect("docs/plans.md");
    let start = code.find("def batches").expect("the reader");
    let end = code.find("\n\n\ndef main").expect("the main function");
    assert!(
        document.contains(&code[start..end]),
        "docs/plans.md has another loop"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let (file, out) = (table(&folder), in_folder(&folder, "plan.jsonl"));
    succeeds(&[
        "plan",
        &file,
        "--strategy",
        "random,batch=4",
        "--epochs",
        "2",
        "--out",
        &out,
    ]);
    if !python_has("the_documented_training_loop_runs", "json") {
        return;
    }
    let read = "import runpy, sys\n\
        batches = runpy.run_path(sys.argv[1])['batches']\n\
        print([(r['epoch'], r['batch']) for r in batches(sys.argv[2])])\n\
        print([(r['epoch'], r['batch'], len(r['ids'])) for r in batches(sys.argv[2], 1, 1)])\n";
    let script = script.display().to_string();
    let read = python(&["-c", read, &script, &out]);
    let expected = "[(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]\n[(1, 1, 4), (1, 2, 3)]\n";
    assert_eq!(read, expected);
    if python_has("the_documented_training_loop_runs (training)", "torch") {
        let printed = python(&[&script, &out, &file]);
        assert_eq!(printed.lines().count(), 6, "{printed}");
        let losses = printed
            .lines()
            .filter_map(|line| line.split(' ').nth(2)?.parse().ok());
        assert!(
            losses.into_iter().all(|loss: f64| loss.is_finite()),
            "{printed}"
        );
    }
}
