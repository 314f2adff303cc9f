//! Times of parallel workers: reading them, and their tables, sentences and plots.

use padwise_report::findings::Findings;
use padwise_report::record::Recorded;

use crate::common::{changed, findings};

fn opened(folder: &tempfile::TempDir) -> Findings {
    Findings::of(Recorded::open(folder.path()).expect("a record"))
}

#[test]
fn records_that_do_not_agree_are_refused_with_their_line() {
    let refused = |from: &str, to: &str| {
        let folder = changed("workers", "workers.csv", |text| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        let error = Recorded::open(folder.path()).expect_err(to);
        let message = error.to_string();
        let message = message.replace(&folder.path().display().to_string(), "DIR");
        message.replace(
            "; the file was edited or damaged; restore it, or run again with another --out folder",
            "",
        )
    };
    let two = "\"random, 2 workers\",1,1,2,";
    let messages = [
        refused(two, "\"random, 2 workers\",1,1,3,"),
        refused(two, "\"random, 3 workers\",1,1,2,"),
        refused(two, "\"random, 4 workers\",1,1,2,"),
        refused(two, "\"random, 2 workers\",5,1,2,"),
        refused(two, &format!("{two}inf ")),
        refused(two, &format!("{two}-")),
        refused(two, &format!("{two}x")),
        refused(two, &format!("{two} ")),
        refused(",0.0,0.0,0,0", ",0.0,NaN,0,0"),
        refused(",0.0,0.0,0,0", ",-1,0.0,0,0"),
        refused(",0.0,0.0,0,0", ",0.0,0.0,9007199254740993,0"),
        refused(",0.0,0.0,0,0", ",0.0,0.0,0"),
        refused(",worker_seconds", ",seconds"),
    ];
    insta::assert_snapshot!("workers_refused", messages.join("\n"));
    let plain = changed("workers", "config.toml", |text| {
        let text = text.replace(
            "[train.parallel]\nworkers = [1, 2, 3]\nengine = \"turns\"\n",
            "",
        );
        let lines = text.lines().filter(|line| !line.starts_with("workers = "));
        lines.map(|line| format!("{line}\n")).collect()
    });
    let error = Recorded::open(plain.path()).expect_err("no workers");
    let wanted = "workers.csv:2: epoch 1 of strategy `random, 1 worker`, seed 1: config.toml has no table [train.parallel]";
    assert!(error.to_string().contains(wanted), "{error}");
}

#[test]
fn torn_lines_and_lines_without_an_epoch_are_ignored() {
    let whole = findings("workers").recorded.workers.rows;
    assert_eq!(whole.len(), 36);
    let torn = changed("workers", "workers.csv", |text| {
        text + "\"random, 1 worker\",2,3,1,9"
    });
    assert_eq!(opened(&torn).recorded.workers.rows, whole);
    // The run was killed before it wrote its last epoch to epochs.csv.
    let killed = changed("workers", "epochs.csv", |text| {
        let lines: Vec<&str> = text.lines().collect();
        lines[..lines.len() - 1].join("\n") + "\n"
    });
    assert_eq!(opened(&killed).recorded.workers.rows, whole[..35]);
}

#[test]
fn the_last_line_of_an_epoch_counts() {
    let again = changed("workers", "workers.csv", |text| {
        text + "\"sorted, 3 workers\",2,3,3,1 2 3,0.5,0,0,0\n"
    });
    let rows = opened(&again).recorded.workers.rows;
    assert_eq!(rows.len(), 36);
    assert_eq!(rows[35].worker_seconds, [1.0, 2.0, 3.0]);
}
