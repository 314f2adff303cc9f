//! `padwise run` verifies corpus files, settings and memory before it writes anything.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

use crate::common::{TINY, corpus, fails_with_usage, in_folder, padwise, succeeds, write};

/// A pack, a config that trains on it, and a separate cache folder.
struct Setup {
    folder: TempDir,
    config: String,
}

impl Setup {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let manifest = corpus(folder.path(), 8);
        let (labels, out) = (
            in_folder(&folder, "labels.ctm"),
            in_folder(&folder, "a.pack"),
        );
        succeeds(&["prepare", &manifest, "--labels", &labels, "--out", &out]);
        let model = TINY.find("[model]").unwrap_or_default();
        let text = format!(
            "[corpus]\npack = \"a.pack\"\nvalidation = {{ speakers = 1 }}\n\n{}",
            TINY[model..].replace("epochs = 3", "epochs = 1")
        );
        let config = write(&folder, "packed.toml", &text);
        Setup { folder, config }
    }

    fn pack(&self) -> PathBuf {
        self.folder.path().join("a.pack")
    }

    fn change(&self, change: impl FnOnce(&mut [u8])) {
        let mut bytes = fs::read(self.pack()).expect("a pack");
        change(&mut bytes);
        fs::write(self.pack(), bytes).expect("writable");
    }

    fn run(&self, out: &str, options: &[&str]) -> Command {
        let mut command = padwise();
        let cache = self.folder.path().join("cache");
        command
            .env("XDG_CACHE_HOME", cache)
            .args(["run", &self.config, "--out", &in_folder(&self.folder, out)])
            .args(options);
        command
    }

    /// Standard error of a run that is refused before anything is written.
    fn refused(&self, options: &[&str]) -> String {
        let ended = self.run("refused", options).assert().code(2);
        assert!(!self.folder.path().join("refused").exists());
        String::from_utf8_lossy(&ended.get_output().stderr).into_owned()
    }
}

/// Flips a bit of the last utterance's features.
fn flip(bytes: &mut [u8]) {
    let index = number(bytes, 32) as usize;
    bytes[index - 128] ^= 1;
}

fn number(bytes: &[u8], place: usize) -> u64 {
    u64::from_le_bytes(bytes[place..place + 8].try_into().expect("8 bytes"))
}

/// Features per frame, of two bytes each.
const DIMS: usize = 16;

/// Changes the payload of the first utterance, with correct checksums everywhere.
fn forge(bytes: &mut [u8], change: impl FnOnce(&mut [u8])) {
    let set = |bytes: &mut [u8], place: usize, number: u64| {
        bytes[place..place + 8].copy_from_slice(&number.to_le_bytes());
    };
    let header = u32::from_le_bytes(bytes[12..16].try_into().expect("4 bytes")) as usize;
    let record = (64 + header).next_multiple_of(64);
    let payload = record + 64;
    let length = number(bytes, record + 24) as usize;
    change(&mut bytes[payload..payload + length]);
    let checksum = xxh3_64(&bytes[payload..payload + length]);
    set(bytes, record + 32, checksum);
    let head = xxh3_64(&bytes[record..record + 56]);
    set(bytes, record + 56, head);
    let index = number(bytes, 32) as usize;
    let json = u32::from_le_bytes(bytes[index..index + 4].try_into().expect("4 bytes")) as usize;
    set(bytes, index + (8 + json).next_multiple_of(8) + 8, checksum);
    let index = xxh3_64(&bytes[index..]);
    set(bytes, 48, index);
    let preamble = xxh3_64(&bytes[..56]);
    set(bytes, 56, preamble);
}

#[test]
fn a_damaged_pack_is_refused() {
    let setup = Setup::new();
    setup.run("first", &[]).assert().success();
    // The first run cached that the file is valid; the changed file is verified again.
    setup.change(flip);
    for options in [&[][..], &["--check"]] {
        let said = setup.refused(options);
        assert!(said.contains("a.pack"), "{said}");
        assert!(said.contains("is damaged: checksum"), "{said}");
    }
    setup.run("trusting", &["--no-verify"]).assert().success();
    let verified = |out: &str| {
        let path = setup.folder.path().join(out).join("environment.json");
        let text = fs::read_to_string(path).expect("a record");
        let environments: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        environments[0]["corpus_verified"].as_bool()
    };
    assert_eq!(
        (verified("first"), verified("trusting")),
        (Some(true), Some(false))
    );
}

#[test]
fn a_pack_is_verified_once() {
    let setup = Setup::new();
    let modified = || fs::metadata(setup.pack()).and_then(|file| file.modified());
    setup.run("first", &[]).assert().success();
    let before = modified().expect("a time");
    setup.change(flip);
    let file = fs::File::options()
        .write(true)
        .open(setup.pack())
        .expect("a file");
    file.set_modified(before).expect("a time");
    drop(file);
    // Same size and time: the cached result holds.
    setup.run("second", &[]).assert().success();
    fs::remove_dir_all(setup.folder.path().join("cache")).expect("removed");
    let said = setup.refused(&[]);
    assert!(said.contains("is damaged"), "{said}");
}

#[test]
fn nan_is_found_with_utterance_and_frame() {
    let setup = Setup::new();
    let nan = 0x7e00u16.to_le_bytes();
    let place = 7 * 2 * DIMS;
    setup.change(|bytes| {
        forge(bytes, |payload| {
            payload[place..place + 2].copy_from_slice(&nan)
        })
    });
    for options in [&[][..], &["--check"]] {
        let said = setup.refused(options);
        assert!(
            said.contains("utterance u000: frame 7, dimension 0 is NaN"),
            "{said}"
        );
    }
}

#[test]
fn a_label_outside_the_classes_is_found() {
    let setup = Setup::new();
    // Labels follow the features; the last one is at the end.
    setup.change(|bytes| forge(bytes, |payload| payload[payload.len() - 1] = 1));
    let said = setup.refused(&[]);
    assert!(said.contains("utterance u000"), "{said}");
    assert!(said.contains("has the unknown label 256"), "{said}");
}

#[test]
fn a_batch_that_cannot_fit_is_refused_unless_forced() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let out = in_folder(&folder, "out");
    // 150 GB of parameters and their copies.
    let arguments = ["run", &file, "--out", &out, "--set", "model.hidden=16384"];
    let said = fails_with_usage(&arguments);
    assert!(said.contains("random: a batch of"), "{said}");
    assert!(said.contains("is free"), "{said}");
    assert!(said.contains("--force"), "{said}");
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_precision_that_the_cpu_lacks_is_not_a_lack_of_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    for options in [&["--check"][..], &[]] {
        let arguments = [&["run", &file, "--set", "train.precision=bf16"], options].concat();
        let said = fails_with_usage(&arguments);
        assert!(said.contains("bf16 is not available on cpu"), "{said}");
        assert!(!said.contains("fit"), "{said}");
    }
}
