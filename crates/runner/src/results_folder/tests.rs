//! Tests of recorded epochs, and of folders that already contain a run.

use super::*;

fn row(epoch: u64) -> EpochRow {
    EpochRow {
        strategy: "a, \"b\"".into(),
        seed: 1,
        epoch,
        validation_loss: Some(0.1 + 0.2),
        ..EpochRow::default()
    }
}

#[test]
fn epochs_survive_to_the_last_bit_and_torn_lines_do_not() {
    let temporary = tempfile::tempdir().expect("a folder");
    let path = temporary.path().join("run");
    let (mut folder, rows) = ResultsFolder::open(&path, "x = 1\n", false).expect("a new folder");
    assert_eq!(rows, []);
    folder.append(&row(1)).expect("writable");
    folder.append(&row(2)).expect("writable");
    drop(folder);
    let mut file = OpenOptions::new()
        .append(true)
        .open(path.join("epochs.csv"))
        .expect("there");
    file.write_all(b"a,1,3,trai").expect("writable");
    let (mut folder, rows) = ResultsFolder::open(&path, "x = 1\n", true).expect("resumable");
    assert_eq!(rows, [row(1), row(2)]);
    folder.append(&row(3)).expect("writable");
    let rows = read_rows(&path.join("epochs.csv")).expect("readable");
    assert_eq!(rows.len(), 3);
}

#[test]
fn a_record_with_fewer_columns_gets_the_others() {
    let temporary = tempfile::tempdir().expect("a folder");
    let path = temporary.path().join("run");
    let (mut folder, _) = ResultsFolder::open(&path, "x = 1\n", false).expect("a new folder");
    folder.append(&row(1)).expect("writable");
    drop(folder);
    let epochs = path.join("epochs.csv");
    let text = fs::read_to_string(&epochs).expect("readable");
    let earlier = text.replace(",character_error_percent,word_error_percent", "");
    // The value before the two columns, the two, and the value after them.
    let earlier = earlier.replacen(",,,,,,", ",,,,", 1);
    fs::write(&epochs, earlier).expect("writable");
    let (mut folder, rows) = ResultsFolder::open(&path, "x = 1\n", true).expect("resumable");
    assert_eq!(rows, [row(1)]);
    folder.append(&row(2)).expect("writable");
    assert_eq!(read_rows(&epochs).expect("readable"), [row(1), row(2)]);
}

#[test]
fn a_folder_belongs_to_one_run_of_one_config() {
    let temporary = tempfile::tempdir().expect("a folder");
    let path = temporary.path().join("run");
    let refused = |config: &str, resume: bool| {
        ResultsFolder::open(&path, config, resume)
            .err()
            .map(|error| {
                error
                    .to_string()
                    .replace(&path.display().to_string(), "RUN")
            })
            .unwrap_or_default()
    };
    assert!(refused("x = 1\n", true).contains("contains no run to resume"));
    let (mut folder, _) =
        ResultsFolder::open(&path, "x = 1\ny = 2\n", false).expect("a new folder");
    assert!(refused("x = 1\ny = 2\n", true).contains("in use by another run"));
    folder.append(&row(1)).expect("writable");
    drop(folder);
    assert!(refused("x = 1\ny = 2\n", false).contains("already contains a run"));
    insta::assert_snapshot!(refused("x = 1\ny = 3\n", true), @"RUN was recorded with another config (recorded `y = 2`, given `y = 3`): use that config, or pass another folder with --out");
    ResultsFolder::open(&path, "x = 1\ny = 2\n", true).expect("the same config");
}
