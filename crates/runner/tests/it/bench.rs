//! `padwise bench`: the format of its output, not the measured times.

use crate::common::{TINY, fails_with_usage, succeeds, write};

#[test]
fn an_epoch_is_timed_in_two_ways() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let printed = succeeds(&["bench", "epoch", &file, "--rounds", "2", "--json"]);
    let names = printed.lines().map(|line| {
        let found: serde_json::Value = serde_json::from_str(line).expect("JSON");
        for key in ["bare_seconds", "epoch_seconds", "wait_seconds"] {
            assert_eq!(found[key].as_array().map(Vec::len), Some(2), "{line}");
        }
        found["strategy"].as_str().unwrap_or_default().to_owned()
    });
    assert_eq!(names.collect::<Vec<_>>(), ["random", "sorted"]);
    let table = succeeds(&["bench", "epoch", &file, "--rounds", "1"]);
    assert!(table.contains("\n  overhead % "), "{table}");
    let record = write(&folder, "epoch.jsonl", &printed);
    let again = succeeds(&[
        "bench",
        "epoch",
        "--recorded",
        &record,
        "--format",
        "markdown",
    ]);
    assert!(again.contains("| sorted"), "{again}");
    let broken = write(&folder, "broken.jsonl", "{}\n");
    let said = fails_with_usage(&["bench", "epoch", "--recorded", &broken]);
    assert!(said.contains("broken.jsonl:1: "), "{said}");
}
