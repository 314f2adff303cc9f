//! Input that no machine can hold, and files that are no files: exit code 2 at once, and one message.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::common::{corpus, in_folder, padwise, write};
use tempfile::TempDir;

/// Standard error of a command that must end with exit code 2 within seconds.
fn refused(args: &[&str]) -> String {
    let assert = padwise()
        .args(args)
        .timeout(Duration::from_secs(120))
        .assert()
        .code(2);
    String::from_utf8(assert.get_output().stderr.clone()).expect("text")
}

/// A `.npy` file of this type and shape.
fn npy(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((head.len() as u16).to_le_bytes());
    file.extend(head.bytes());
    file.extend(data);
    file
}

#[test]
fn one_label_does_not_allocate_billions_of_classes() {
    let folder = TempDir::new().expect("a folder");
    let arrays = folder.path().join("arrays");
    fs::create_dir(&arrays).expect("a folder");
    let put = |name: &str, bytes| fs::write(arrays.join(name), bytes).expect("writable");
    put("a.npy", npy("<f4", "(1, 1)", &[0; 4]));
    put("a.labels.npy", npy("<i4", "(1,)", &i32::MAX.to_le_bytes()));
    let arrays = arrays.display().to_string();
    let out = in_folder(&folder, "a.pack");
    for args in [
        &["prepare", &arrays, "--out", &out][..],
        &["corpus", &arrays],
    ] {
        let said = refused(args);
        assert!(said.contains("frame 0 has label 2147483647"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn fifos_and_devices_are_refused_at_once() {
    let folder = TempDir::new().expect("a folder");
    let fifo = |name: &str| {
        let path = in_folder(&folder, name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo runs").success());
        path
    };
    let (pack, csv, toml, ctm) = (fifo("a.pack"), fifo("a.csv"), fifo("a.toml"), fifo("a.ctm"));
    let manifest = corpus(folder.path(), 1);
    let out = in_folder(&folder, "out.pack");
    for args in [
        &["corpus", &pack][..],
        &["corpus", &toml],
        &["analyze", &pack],
        &["analyze", &csv],
        &["prepare", &csv, "--out", &out],
        &["prepare", &manifest, "--labels", &ctm, "--out", &out],
        &["prepare", &manifest, "--features", &toml, "--out", &out],
        &["bench", "epoch", "--recorded", &csv],
    ] {
        let said = refused(args);
        assert!(said.contains("a FIFO (named pipe)"), "{args:?}: {said}");
    }
    let said = refused(&["analyze", &csv]);
    assert!(said.contains("pass - and redirect"), "{said}");
    for args in [
        &["prepare", "/dev/zero", "--out", &out][..],
        &[
            "prepare",
            "/dev/zero",
            "--layout",
            "manifest",
            "--out",
            &out,
        ],
        &["corpus", "/dev/zero", "--layout", "pack"],
        &["analyze", "/dev/zero"],
    ] {
        let said = refused(args);
        assert!(said.contains("a character device"), "{args:?}: {said}");
    }
    // Standard input is still read.
    padwise()
        .args(["analyze", "-", "--seeds", "1"])
        .write_stdin("30\n40\n50\n")
        .assert()
        .success();
}

#[test]
fn sizes_that_no_machine_has_are_refused_with_the_memory_they_need() {
    let folder = TempDir::new().expect("a folder");
    let config = write(
        &folder,
        "a.toml",
        "[corpus]\nsynthetic = { utterances = 4000000000 }\n",
    );
    let said = refused(&["corpus", &config]);
    assert!(said.contains("would need 256.0 GB of memory"), "{said}");
    if !Path::new("/proc/meminfo").exists() {
        return;
    }
    for args in [
        &["bench", "step", "--frames", "4294967295"][..],
        &["bench", "step", "--batch", "18446744073709551615"],
        &["bench", "step", "--hidden", "50000", "--layers", "3"],
    ] {
        let said = refused(args);
        assert!(said.contains("of memory, but this machine has"), "{said}");
    }
    for args in [
        &["bench", "step", "--steps", "18446744073709551615"][..],
        &["bench", "step", "--hidden", "18446744073709551615"],
        &["analyze", "--profile", "ljspeech", "--seeds", "9000000000"],
    ] {
        refused(args);
    }
}

#[test]
fn long_audio_needs_an_option() {
    let folder = TempDir::new().expect("a folder");
    let minute = 60 * 16_000;
    let mut wav = crate::common::wav(0)[..44].to_vec();
    let bytes = 2 * 2 * minute;
    wav[40..44].copy_from_slice(&(bytes as u32).to_le_bytes());
    wav[4..8].copy_from_slice(&(bytes as u32 + 36).to_le_bytes());
    wav.resize(44 + bytes, 0);
    fs::write(folder.path().join("long.wav"), wav).expect("writable");
    let manifest = write(&folder, "manifest.csv", "id,path\nlong,long.wav\n");
    let out = in_folder(&folder, "a.pack");
    let prepare = [
        "prepare",
        &manifest,
        "--out",
        &out,
        "--max-utterance-minutes",
    ];
    let said = refused(&[&prepare[..], &["1"]].concat());
    assert!(
        said.contains("2.0 minutes of audio, but the limit is 1"),
        "{said}"
    );
    assert!(said.contains("raise --max-utterance-minutes"), "{said}");
    padwise().args(prepare).arg("2").assert().success();
}
