//! `padwise plan` writes exactly the library's plans, in every format and for every rank.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use padwise_sampler::{Sampler, Strategy};
use serde::Deserialize;
use serde_json::Value;

use crate::common::{in_folder, messages, padwise, succeeds, write};

/// A record as documented in `docs/plans.md`, and nothing else.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Record {
    epoch: u64,
    batch: usize,
    padded_length: u32,
    ids: Vec<String>,
    starts: Option<Vec<u32>>,
    lengths: Option<Vec<u32>>,
}

fn records(text: &str) -> Vec<Record> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

/// The records that `padwise plan` prints with these arguments, separated by spaces.
fn plan(file: &str, arguments: &str) -> Vec<Record> {
    let arguments: Vec<&str> = arguments.split(' ').collect();
    records(&succeeds(&[&["plan", file], &arguments[..]].concat()))
}

const LENGTHS: [u32; 11] = [40, 60, 94, 142, 43, 119, 48, 152, 109, 80, 65];

/// A table with the ids u0, u1 and so on.
pub(crate) fn table(folder: &tempfile::TempDir) -> String {
    let rows = LENGTHS.iter().enumerate();
    let rows: String = rows.map(|(i, length)| format!("u{i},{length}\n")).collect();
    write(folder, "lengths.csv", &("id,frames\n".to_string() + &rows))
}

#[test]
fn plans_equal_those_of_the_independent_implementation() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sampler/tests/golden/plans.json");
    let golden: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("golden plans")).expect("JSON");
    let folder = tempfile::tempdir().expect("a folder");
    let list = golden["lengths"].as_array().expect("lengths");
    let list: String = list.iter().map(|length| format!("{length}\n")).collect();
    let list = write(&folder, "lengths.txt", &list);
    let (seed, epoch) = (&golden["seed"], golden["epoch"].as_u64().expect("an epoch"));
    let arguments = |line: &str| format!("--strategy {line} --seed {seed} --epochs {}", epoch + 1);
    let of_epoch = |records: Vec<Record>| -> Vec<(Vec<(String, u32)>, u64)> {
        let records = records.into_iter().filter(|record| record.epoch == epoch);
        records
            .map(|record| {
                let starts = record.starts.unwrap_or(vec![0; record.ids.len()]);
                let items = record.ids.into_iter().zip(starts).collect();
                (items, record.padded_length.into())
            })
            .collect()
    };
    let expected = |batches: &Value| -> Vec<(Vec<(String, u32)>, u64)> {
        let batches = batches.as_array().expect("batches").iter();
        batches
            .map(|batch| {
                let items = batch["items"].as_array().expect("items").iter();
                let items = items.map(|item| {
                    let start = item[1].as_u64().expect("a frame") as u32;
                    (item[0].to_string(), start)
                });
                (items.collect(), batch["padded"].as_u64().expect("a length"))
            })
            .collect()
    };
    let plans = golden["plans"].as_object().expect("plans");
    assert_eq!(plans.len(), 19);
    for (line, batches) in plans {
        let found = of_epoch(plan(&list, &arguments(line)));
        assert_eq!(found, expected(batches), "{line}");
    }
    let shards = golden["shards"].as_object().expect("shards");
    for (line, ranks) in shards {
        let all = of_epoch(plan(&list, &arguments(line)));
        let ranks = ranks.as_array().expect("ranks");
        for (rank, batches) in ranks.iter().enumerate() {
            let world = ranks.len();
            let arguments = format!("{} --rank {rank} --world {world}", arguments(line));
            let batches = batches.as_array().expect("batches").iter();
            let batches = batches.map(|n| all[n.as_u64().expect("a number") as usize].clone());
            let expected: Vec<_> = batches.collect();
            assert_eq!(
                of_epoch(plan(&list, &arguments)),
                expected,
                "{line}, {rank}"
            );
        }
    }
}

#[test]
fn records_equal_the_batches_of_the_sampler() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = table(&folder);
    for line in [
        "semi-sorted:lrf=0.5,batch=3",
        "sorted,chunk=50,batch=4",
        "bucketed:width=50",
    ] {
        let strategy = Strategy::parse(line, 5).expect("a strategy");
        let sampler = Sampler::new(strategy, 3).expect("a sampler");
        let arguments = format!("--strategy {line} --seed 3 --epochs 3 --batch-size 5");
        let mut found = plan(&file, &arguments).into_iter();
        for epoch in 0..3 {
            for batch in sampler.plan(&LENGTHS, epoch).expect("a plan").batches() {
                let has_chunks = line.contains("chunk");
                let items = || batch.items();
                let expected = Record {
                    epoch,
                    batch: batch.index(),
                    padded_length: batch.padded_length(),
                    ids: items().map(|item| format!("u{}", item.sequence)).collect(),
                    starts: has_chunks.then(|| items().map(|item| item.start).collect()),
                    lengths: has_chunks.then(|| items().map(|item| item.length).collect()),
                };
                assert_eq!(found.next(), Some(expected), "{line}");
            }
        }
        assert_eq!(found.next(), None, "{line}");
    }
}

/// The records in a CSV file: one line per item.
fn records_of_csv(text: &str) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    for row in reader.deserialize::<BTreeMap<String, String>>() {
        let row = row.expect("a row");
        let number = |name: &str| {
            row.get(name)
                .map(|text| text.parse::<u32>().expect("a number"))
        };
        let (epoch, batch) = (
            number("epoch").expect("an epoch"),
            number("batch").expect("a batch"),
        );
        let is_next = |last: &Record| (last.epoch, last.batch) != (epoch.into(), batch as usize);
        if records.last().is_none_or(is_next) {
            records.push(Record {
                epoch: epoch.into(),
                batch: batch as usize,
                padded_length: number("padded_length").expect("a length"),
                ids: Vec::new(),
                starts: row.contains_key("start").then(Vec::new),
                lengths: row.contains_key("length").then(Vec::new),
            });
        }
        let record = records.last_mut().expect("a record");
        record.ids.push(row["id"].clone());
        record
            .starts
            .iter_mut()
            .for_each(|starts| starts.extend(number("start")));
        record
            .lengths
            .iter_mut()
            .for_each(|lengths| lengths.extend(number("length")));
    }
    records
}

/// Reads arrays as documented in `docs/plans.md`, and prints records.
const READ_ARRAYS: &str = r#"
import json, sys
import numpy
plan = numpy.load(sys.argv[1])
ids = plan["ids"].tobytes().decode().split("\n")
for epoch in range(plan["epochs"]):
    utterances, offsets = plan[f"utterances_{epoch}"], plan[f"offsets_{epoch}"]
    assert (utterances.dtype, offsets.dtype, offsets[-1]) == ("<i4", "<i8", len(utterances))
    for batch, (first, end) in enumerate(zip(offsets, offsets[1:])):
        record = {"epoch": epoch, "batch": batch, "padded_length": int(plan[f"padded_lengths_{epoch}"][batch])}
        record["ids"] = [ids[utterance] for utterance in utterances[first:end]]
        for name in ("starts", "lengths"):
            if f"{name}_{epoch}" in plan:
                record[name] = plan[f"{name}_{epoch}"][first:end].tolist()
        print(json.dumps(record))
"#;

/// Whether Python can import a module. If not, reports that the test is skipped, past the harness.
pub(crate) fn python_has(test: &str, module: &str) -> bool {
    let import = Command::new("python3")
        .args(["-c", &format!("import {module}")])
        .output();
    let found = import.is_ok_and(|output| output.status.success());
    if !found {
        let _ = writeln!(std::io::stderr(), "SKIPPED {test}: python3 has no {module}");
    }
    found
}

/// Standard output of a Python script that must succeed.
pub(crate) fn python(arguments: &[&str]) -> String {
    let output = Command::new("python3")
        .args(arguments)
        .output()
        .expect("python3");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn all_formats_have_the_same_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "\"a, \"\"b\"\"\",30\né,50\nc d,70\nd,20\n";
    let file = write(&folder, "lengths.csv", &format!("id,frames\n{rows}"));
    let has_numpy = python_has("all_formats_have_the_same_records (npz)", "numpy");
    for arguments in [
        "--strategy random,batch=3 --epochs 3",
        "--strategy sorted,chunk=20,batch=2 --epochs 2",
        "--strategy sorted,batch=1 --epochs 2 --rank 1 --world 3",
    ] {
        let expected = plan(&file, arguments);
        assert!(expected.len() > 1);
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let arguments = [&["plan", file.as_str()], &arguments[..]].concat();
        let table = succeeds(&[&arguments[..], &["--format", "csv"]].concat());
        assert_eq!(records_of_csv(&table), expected);
        let lines = in_folder(&folder, "plan");
        assert_eq!(
            succeeds(&[&arguments[..], &["--out", &lines]].concat()),
            lines.clone() + "\n"
        );
        assert_eq!(
            records(&fs::read_to_string(&lines).expect("a plan")),
            expected
        );
        // The extension decides.
        let table_file = in_folder(&folder, "plan.csv");
        succeeds(&[&arguments[..], &["--out", &table_file]].concat());
        assert_eq!(fs::read_to_string(&table_file).expect("a plan"), table);
        let arrays = in_folder(&folder, "plan.npz");
        succeeds(&[&arguments[..], &["--out", &arrays]].concat());
        assert!(fs::read(&arrays).expect("a plan").starts_with(b"PK"));
        if has_numpy {
            assert_eq!(records(&python(&["-c", READ_ARRAYS, &arrays])), expected);
        }
    }
}

#[test]
fn ranks_have_equally_many_batches_and_cover_the_epoch() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = table(&folder);
    for world in [1, 2, 3, 4, 7] {
        let ranks: Vec<Vec<Record>> = (0..world)
            .map(|rank| {
                let arguments = "--strategy random,batch=2 --epochs 2";
                plan(&file, &format!("{arguments} --rank {rank} --world {world}"))
            })
            .collect();
        for epoch in 0..2 {
            let mut covered: BTreeMap<String, usize> = BTreeMap::new();
            // Six batches.
            let steps = 6usize.div_ceil(world);
            for records in &ranks {
                let records = records.iter().filter(|record| record.epoch == epoch);
                let steps_of_rank: Vec<usize> =
                    records.clone().map(|record| record.batch).collect();
                assert_eq!(steps_of_rank, Vec::from_iter(0..steps), "{world} ranks");
                for id in records.flat_map(|record| &record.ids) {
                    *covered.entry(id.clone()).or_default() += 1;
                }
            }
            assert_eq!(covered.len(), LENGTHS.len(), "{world} ranks");
            let repeated = covered.values().filter(|&&times| times > 1).count();
            assert_eq!(repeated > 0, 6 % world != 0, "{world} ranks");
        }
    }
    let file = file.as_str();
    let arguments = [
        "plan",
        file,
        "--epochs",
        "2",
        "--world",
        "4",
        "--rank",
        "0",
        "--strategy",
    ];
    let kept = messages(&[&arguments[..], &["sorted,batch=2"]].concat());
    assert!(kept.contains("4 batches repeated, over 2 epochs"), "{kept}");
    let dropped = messages(&[&arguments[..], &["sorted,batch=2,drop-last"]].concat());
    assert!(
        dropped.contains("2 batches dropped, over 2 epochs"),
        "{dropped}"
    );
    assert!(
        dropped.contains("2 items in no batch, over 2 epochs"),
        "{dropped}"
    );
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let arguments = "plan --profile librispeech --strategy random --epochs 1000";
    let mut child = Command::new(padwise().get_program())
        .args(arguments.split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process");
    let mut out = child.stdout.take().expect("a pipe");
    let mut first = [0; 100];
    out.read_exact(&mut first).expect("a batch");
    drop(out);
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(first.starts_with(b"{\"epoch\":0,\"batch\":0,\"padded_length\":"));
}
