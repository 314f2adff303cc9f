//! Rows of `epochs.csv` that no run can have written are refused with their line.

use std::path::Path;

use crate::common::changed;
use padwise_report::record::Recorded;

/// The error of opening the one-seed record with its lines edited; line 0 is the header.
fn refused(edit: impl Fn(&mut Vec<String>)) -> String {
    let folder = changed("one-seed", "epochs.csv", |text| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        edit(&mut lines);
        lines.join("\n") + "\n"
    });
    let folder = folder.path();
    let error = Recorded::open(folder).expect_err("a damaged record");
    error
        .to_string()
        .replace(&folder.display().to_string(), "DIR")
}

fn with_epoch(line: &str, from: u64, to: u64) -> String {
    line.replacen(&format!(",7,{from},"), &format!(",7,{to},"), 1)
}

#[test]
fn epochs_out_of_sequence_are_refused() {
    let duplicate = refused(|lines| lines.insert(2, lines[1].clone()));
    insta::assert_snapshot!(duplicate, @"DIR/epochs.csv:3: epoch 1 of strategy `random`, seed 7: expected epoch 2; the file was edited or damaged; restore it, or run again with another --out folder");
    let gap = refused(|lines| drop(lines.remove(2)));
    assert!(
        gap.contains("epochs.csv:3: epoch 3") && gap.contains("expected epoch 2;"),
        "{gap}"
    );
    let swapped = refused(|lines| lines.swap(1, 2));
    assert!(swapped.contains("epochs.csv:2: epoch 2"), "{swapped}");
    for epoch in [0, 99, u64::MAX] {
        let other = refused(|lines| lines[3] = with_epoch(&lines[3], 3, epoch));
        assert!(
            other.contains(&format!("csv:4: epoch {epoch} of")),
            "{other}"
        );
    }
    // Runs may be interleaved, so only the order within a run counts.
    let interleaved = changed("one-seed", "epochs.csv", |text| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.swap(3, 4);
        lines.join("\n") + "\n"
    });
    Recorded::open(interleaved.path()).expect("interleaved runs");
}

#[test]
fn a_failed_epoch_may_be_repeated_and_nothing_follows_the_end_of_a_run() {
    let retried = changed("one-seed", "epochs.csv", |text| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let failed = lines[2].replace(",trained,", ",failed,") + "\"out of\nmemory\"";
        lines.splice(2..2, [failed.clone(), failed]);
        lines.join("\n") + "\n"
    });
    Recorded::open(retried.path()).expect("a retried epoch");
    for end in ["stopped", "diverged"] {
        let more = refused(|lines| lines[2] = lines[2].replace("trained", end));
        assert!(more.contains("csv:4: epoch 3"), "{more}");
        assert!(more.contains("the run had ended"), "{more}");
    }
    // The line is counted in the file, not in rows.
    let later = refused(|lines| {
        let failed = lines[2].replace(",trained,", ",failed,") + "\"out of\nmemory\"";
        lines.insert(2, failed);
        lines.remove(3);
    });
    assert!(later.contains("csv:5: epoch 3"), "{later}");
}

#[test]
fn rows_of_unplanned_runs_are_refused() {
    let strategy = refused(|lines| {
        for line in &mut lines[1..4] {
            *line = line.replace("random,", "other,");
        }
    });
    insta::assert_snapshot!(strategy, @"DIR/epochs.csv:2: epoch 1 of strategy `other`, seed 7: config.toml has no such strategy; the file was edited or damaged; restore it, or run again with another --out folder");
    let seed = refused(|lines| lines.push(lines[1].replace(",7,1,", ",8,1,")));
    assert!(
        seed.contains("csv:11: epoch 1 of strategy `random`, seed 8: config.toml has no such seed"),
        "{seed}"
    );
    let epoch = refused(|lines| lines.push(with_epoch(&lines[3], 3, 4)));
    assert!(epoch.contains("csv:11: epoch 4"), "{epoch}");
    assert!(epoch.contains("config.toml plans 3 epochs"), "{epoch}");
}

#[test]
fn every_committed_record_opens() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let folders = std::fs::read_dir(results).into_iter().flatten().flatten();
    for folder in folders
        .map(|entry| entry.path())
        .filter(|path| Recorded::is_in(path))
    {
        Recorded::open(&folder).expect("a valid record");
    }
}

#[test]
fn a_corrupt_environment_is_reported() {
    for text in ["", "{", "{}", "[{}]", "null", "[[]]", "\u{0}"] {
        let folder = changed("one-seed", "environment.json", |_| text.to_owned());
        let error = Recorded::open(folder.path()).expect_err("a corrupt environment");
        let message = error.to_string();
        assert!(message.contains("environment.json:"), "{text:?}: {message}");
    }
    let folder = changed("one-seed", "environment.json", |text| text);
    let path = folder.path().join("environment.json");
    std::fs::remove_file(&path).expect("a file");
    Recorded::open(folder.path()).expect("it is optional");
    std::fs::create_dir(&path).expect("writable");
    let message = Recorded::open(folder.path())
        .expect_err("a folder")
        .to_string();
    assert!(message.contains("expected a regular file"), "{message}");
}

/// The link was taken for a missing file before.
#[cfg(unix)]
#[test]
fn a_broken_link_is_reported() {
    for name in ["environment.json", "epochs.csv"] {
        let folder = changed("one-seed", name, |text| text);
        let path = folder.path().join(name);
        std::fs::remove_file(&path).expect("a file");
        std::os::unix::fs::symlink("missing", &path).expect("a link");
        Recorded::open(folder.path()).expect_err("a broken link");
    }
}
