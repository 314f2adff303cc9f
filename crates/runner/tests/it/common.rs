//! Helpers: running `padwise` and reading its output.
#![allow(
    dead_code,
    missing_docs,
    reason = "each test file uses its own part of this"
)]

use std::f64::consts::PI;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

pub fn padwise() -> Command {
    let mut command = Command::cargo_bin("padwise").expect("the binary is built with the tests");
    // Device profiles of the user would change predictions. Nothing is ever written to this folder.
    command.env(
        "XDG_CACHE_HOME",
        concat!(env!("CARGO_TARGET_TMPDIR"), "/empty-cache"),
    );
    command
}

/// Standard output of a command that must succeed.
pub fn succeeds(args: &[&str]) -> String {
    let assert = padwise().args(args).assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).expect("text")
}

/// Standard error of a command that must succeed.
pub fn messages(args: &[&str]) -> String {
    let assert = padwise().args(args).assert().success();
    String::from_utf8(assert.get_output().stderr.clone()).expect("text")
}

/// The rows of a command that prints a JSON array.
pub fn rows(args: &[&str]) -> Vec<Value> {
    let out = succeeds(args);
    match serde_json::from_str(&out) {
        Ok(Value::Array(rows)) => rows,
        other => panic!("not an array: {other:?}"),
    }
}

/// Standard error of a command that must end with exit code 2.
pub fn fails_with_usage(args: &[&str]) -> String {
    let assert = padwise().args(args).assert().code(2);
    let output = assert.get_output();
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// Writes a file; returns its path.
pub fn write(folder: &tempfile::TempDir, name: &str, content: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("a writable folder");
    path.display().to_string()
}

/// About a second of a tone in noise, as 16-bit WAV.
pub fn wav(number: u32) -> Vec<u8> {
    let samples = 12_000 + number * 331 % 9_000;
    let mut noise = number.wrapping_mul(2_654_435_761).wrapping_add(1);
    let data: Vec<u8> = (0..samples)
        .flat_map(|i| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let tone = (2.0 * PI * f64::from(i) * f64::from(200 + 10 * number) / 16_000.0).sin();
            let sample = 6_000.0 * tone + f64::from(noise >> 21) - 1024.0;
            (sample as i16).to_le_bytes()
        })
        .collect();
    let mut file = Vec::new();
    let size = data.len() as u32;
    file.extend(b"RIFF");
    file.extend((36 + size).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16u32.to_le_bytes());
    file.extend([1, 0, 1, 0]);
    file.extend(16_000u32.to_le_bytes());
    file.extend(32_000u32.to_le_bytes());
    file.extend([2, 0, 16, 0]);
    file.extend(b"data");
    file.extend(size.to_le_bytes());
    file.extend(data);
    file
}

/// Writes audio files, a manifest and a CTM with their labels; returns the path of the manifest.
pub fn corpus(folder: &Path, utterances: u32) -> String {
    let mut manifest = String::from("id,path,speaker,text\n");
    let mut ctm = String::new();
    for n in 0..utterances {
        fs::write(folder.join(format!("u{n:03}.wav")), wav(n)).expect("a writable folder");
        manifest += &format!("u{n:03},u{n:03}.wav,s{},a tone\n", n % 4);
        ctm += &format!("u{n:03} 1 0.00 0.30 low\nu{n:03} 1 0.30 0.25 high\n");
    }
    fs::write(folder.join("labels.ctm"), ctm).expect("a writable folder");
    let path = folder.join("manifest.csv");
    fs::write(&path, manifest).expect("a writable folder");
    path.display().to_string()
}

/// A file or folder of real data. Without it, reports that the test is skipped, past the harness, which captures the print macros.
pub fn real_data(test: &str, path: &str) -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("PADWISE_DATA").map_or_else(default, PathBuf::from);
    let path = folder.join(path);
    if path.exists() {
        return Some(path);
    }
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: no {}", path.display());
    None
}

pub fn in_folder(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

/// An experiment that trains in under a second: two strategies on a few short chunks.
pub const TINY: &str = r#"
title = "Tiny"

[corpus]
validation = { fresh = 2 }

[corpus.synthetic]
utterances = 6
profile = "ljspeech"
classes = 123
speakers = 3

[model]
layers = 1
hidden = 4

[train]
epochs = 3
seeds = [1, 2]
batch-size = 4
backend = "cpu"

[measure]
validation-batch = 2
warm-up-steps = 1

[[strategy]]
name = "random"
line = "random,chunk=60,frames=1200"
paper = { utterances-per-second = 7.0, word-error-percent = 8.9 }

[[strategy]]
name = "sorted"
line = "sorted,chunk=60,frames=1200"
"#;

/// The folder of the shipped configs.
pub fn configs() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs")
}

/// The recorded epochs of an experiment, one map per line.
pub fn epochs(folder: &Path) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(folder.join("epochs.csv")).expect("a record");
    reader
        .deserialize()
        .collect::<Result<_, csv::Error>>()
        .expect("whole lines")
}

/// The recorded epochs without times and memory, sorted. Equal for two runs with bit-identical results.
pub fn learnt(folder: &Path) -> Vec<String> {
    let mut lines: Vec<String> = epochs(folder)
        .iter()
        .map(|row| {
            let keys = [
                "strategy",
                "seed",
                "epoch",
                "status",
                "batches",
                "utterances",
                "items",
                "padded_frames",
                "zpr_percent",
                "abl",
                "start_loss",
                "train_loss",
                "train_frame_error_percent",
                "validation_loss",
                "frame_error_percent",
                "sequence_error_percent",
            ];
            keys.map(|key| row[key].clone()).join(" ")
        })
        .collect();
    lines.sort();
    lines
}
