//! `padwise export` writes exactly the data that `padwise run` trains on.

use std::collections::BTreeSet;

use crate::common::{TINY, padwise, succeeds, write};
use serde_json::Value;

#[test]
fn every_epoch_contains_every_utterance() {
    let folder = tempfile::tempdir().expect("a folder");
    // Whole utterances.
    let config = write(
        &folder,
        "tiny.toml",
        &TINY.replace(",chunk=60,frames=1200", ""),
    );
    let out = folder.path().join("plain");
    let name = out.display().to_string();
    succeeds(&["export", &config, "--out", &name, "--set", "train.epochs=2"]);

    let read = |name: &str| std::fs::read(out.join(name)).expect("a file");
    let about: Value = serde_json::from_slice(&read("experiment.json")).expect("JSON");
    let lengths = |part: &str| -> Vec<u64> {
        let lengths = about[part].as_array().expect("lengths");
        lengths.iter().filter_map(Value::as_u64).collect()
    };
    for part in ["training", "validation"] {
        let ids = about[format!("{part}_ids")].as_array().expect("ids");
        let ids: BTreeSet<&str> = ids.iter().filter_map(Value::as_str).collect();
        assert_eq!(ids.len(), lengths(part).len(), "unique ids of {part}");
    }
    // The README in the folder lists every file and every field.
    let readme = String::from_utf8(read("README.md")).expect("text");
    for entry in std::fs::read_dir(&out).expect("a folder") {
        let name = entry.expect("a file").file_name();
        let name = name.to_string_lossy();
        assert!(
            name == "README.md" || readme.contains(&format!("`{name}`")),
            "{name}"
        );
    }
    for field in about.as_object().expect("fields").keys() {
        assert!(readme.contains(&format!("`{field}`")), "{field}");
    }
    let dims = about["dims"].as_u64().expect("dims");
    for part in ["training", "validation"] {
        let frames: u64 = lengths(part).iter().sum();
        assert!(frames > 0, "{part}");
        assert_eq!(read(&format!("{part}.f32")).len() as u64, 4 * dims * frames);
        assert_eq!(read(&format!("{part}.i32")).len() as u64, 4 * frames);
    }

    let lines = String::from_utf8(read("batches.jsonl")).expect("text");
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    // Each utterance once per epoch.
    let covered = |batches: &Value| -> Vec<(u64, u64)> {
        let items = batches
            .as_array()
            .expect("batches")
            .iter()
            .flat_map(|batch| {
                let items = batch.as_array().expect("items").iter();
                items.map(|item| {
                    (
                        item[0].as_u64().expect("an utterance"),
                        item[2].as_u64().expect("frames"),
                    )
                })
            });
        let mut items: Vec<(u64, u64)> = items.collect();
        items.sort_unstable();
        items
    };
    let all = |part: &str| -> Vec<(u64, u64)> { (0..).zip(lengths(part)).collect() };
    let (validation, epochs) = lines.split_last().expect("lines");
    assert_eq!(covered(&validation["validation"]), all("validation"));
    let named = |name: &str| {
        epochs
            .iter()
            .filter(|line| line["strategy"] == name)
            .count()
    };
    assert_eq!((named("random"), named("sorted")), (4, 4), "two seeds");
    let longest = String::from_utf8(read("longest.csv")).expect("text");
    let mut longest = longest.lines().skip(1);
    for epoch in epochs {
        let batches = epoch["batches"].as_array().expect("batches").iter();
        let frames = batches.clone().map(|batch| {
            let items = batch.as_array().expect("items").iter();
            items.filter_map(|item| item[2].as_u64()).max().unwrap_or(0)
        });
        let (count, frames) = (batches.clone().count(), frames.sum::<u64>());
        let line = longest.next().unwrap_or_default();
        assert!(line.ends_with(&format!(",{count},{frames}")), "{line}");
        assert_eq!(
            covered(&epoch["batches"]),
            all("training"),
            "{}",
            epoch["epoch"]
        );
    }

    // An existing folder is never overwritten.
    let again = padwise()
        .args(["export", &config, "--out", &name])
        .assert()
        .code(3);
    let said = String::from_utf8_lossy(&again.get_output().stderr).into_owned();
    assert!(said.contains("cannot create the folder"), "{said}");
}
