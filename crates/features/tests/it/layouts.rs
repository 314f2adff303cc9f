//! Layouts of published audio corpora.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;
use std::path::Path;

use crate::support::{message, shared_data};
use padwise_features::FileError;
use padwise_features::layouts::*;
use tempfile::TempDir;

fn put(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn all_of_librispeech_is_found() {
    let Some(root) = shared_data("the layout of LibriSpeech", "librispeech/audio") else {
        return;
    };
    let sources = librispeech(&root, MissingFiles::Refuse).unwrap();
    assert_eq!(sources.len(), 296);
    let speakers: std::collections::BTreeSet<_> = sources.iter().map(|s| &s.speaker).collect();
    assert_eq!(speakers.len(), 14);
    assert!(
        sources
            .iter()
            .all(|s| s.audio.is_file() && s.text.as_ref().unwrap().len() > 3)
    );
    let first = &sources[0];
    assert_eq!(first.id, first.audio.file_stem().unwrap().to_str().unwrap());
    // A set or a speaker is a corpus, too.
    let test_clean = librispeech(root.join("test-clean"), MissingFiles::Refuse).unwrap();
    let of_test = |s: &&Source| s.audio.components().any(|c| c.as_os_str() == "test-clean");
    assert_eq!(test_clean.len(), sources.iter().filter(of_test).count());
}

#[test]
fn incomplete_librispeech_is_an_error() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let said = |root: &Path| {
        message(
            librispeech(root, MissingFiles::Refuse).unwrap_err(),
            folder.path(),
        )
    };
    let mut all = vec![said(root)];
    put(root, "1/2/1-2.trans.txt", "1-2-0000 A B\n1-2-0001 C\n");
    put(root, "1/2/1-2-0000.flac", "");
    all.push(said(root));
    put(root, "1/2/1-2-0001.flac", "");
    assert_eq!(
        librispeech(root, MissingFiles::Refuse).unwrap()[1]
            .text
            .as_deref(),
        Some("C")
    );
    put(root, "1/2/1-2-0002.flac", "");
    all.push(said(root));
    std::fs::remove_file(root.join("1/2/1-2-0002.flac")).unwrap();
    put(root, "copy/1/2/1-2.trans.txt", "1-2-0001 C\n");
    put(root, "copy/1/2/1-2-0001.flac", "");
    all.push(said(root));
    insta::assert_snapshot!(all.join("\n"), @r"
        .: no SPEAKER/CHAPTER/*.trans.txt found in this folder
        1/2/1-2.trans.txt:2: utterance 1-2-0001: file not found: 1/2/1-2-0001.flac
        1/2/1-2-0002.flac: no transcript in 1/2/1-2.trans.txt: add one or remove the file
        copy/1/2/1-2.trans.txt:1: duplicate id 1-2-0001, already used in 1/2/1-2.trans.txt:2
        ");
    assert!(matches!(
        librispeech(root.join("nowhere"), MissingFiles::Refuse),
        Err(FileError::Io { .. })
    ));
}

#[test]
fn ljspeech_is_read_with_its_normalised_text() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    put(
        root,
        "metadata.csv",
        "LJ001-0001|In 1455, \"so\"|In fourteen fifty-five, \"so\"\nLJ001-0002|x|\n",
    );
    put(root, "wavs/LJ001-0001.wav", "");
    let missing = message(ljspeech(root, MissingFiles::Refuse).unwrap_err(), root);
    put(root, "wavs/LJ001-0002.wav", "");
    let sources = ljspeech(root, MissingFiles::Refuse).unwrap();
    assert_eq!(
        sources[0].text.as_deref(),
        Some("In fourteen fifty-five, \"so\"")
    );
    assert_eq!(sources[1].text.as_deref(), Some("x"));
    assert_eq!(sources[1].speaker.as_deref(), Some("LJ"));
    put(root, "metadata.csv", "LJ001-0001|x|\nLJ001-0002\n");
    insta::assert_snapshot!([missing, message(ljspeech(root, MissingFiles::Refuse).unwrap_err(), root)].join("\n"), @r"
        metadata.csv:2: utterance LJ001-0002: file not found: wavs/LJ001-0002.wav
        metadata.csv:2: expected id|text|normalised text
        ");
}

#[test]
fn chime4_follows_its_annotations() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    put(
        root,
        "data/annotations/dt05_real.json",
        r#"[
        {"dot": "the sale", "environment": "BUS", "speaker": "F01", "wsj_name": "22GC010A", "start": 1.5, "wavfile": "x"},
        {"dot": "of hotels", "environment": "PED", "speaker": "M03", "wsj_name": "22GC010B"}]"#,
    );
    let audio = "data/audio/16kHz";
    put(
        root,
        &format!("{audio}/isolated/dt05_bus_real/F01_22GC010A_BUS.CH5.wav"),
        "",
    );
    put(
        root,
        &format!("{audio}/isolated_1ch_track/dt05_bus_real/F01_22GC010A_BUS.wav"),
        "",
    );
    put(
        root,
        &format!("{audio}/isolated_1ch_track/dt05_ped_real/M03_22GC010B_PED.wav"),
        "",
    );
    let part = |audio: &str, channel| Chime4 {
        set: "dt05_real".into(),
        audio: audio.into(),
        channel,
    };
    let sources = chime4(
        root,
        &part("isolated_1ch_track", None),
        MissingFiles::Refuse,
    )
    .unwrap();
    let ids: Vec<&str> = sources.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids, ["F01_22GC010A_BUS_REAL", "M03_22GC010B_PED_REAL"]);
    assert_eq!(sources[1].text.as_deref(), Some("of hotels"));
    assert_eq!(sources[0].speaker.as_deref(), Some("F01"));
    let missing = message(
        chime4(root, &part("isolated", Some(5)), MissingFiles::Refuse).unwrap_err(),
        root,
    );
    put(
        root,
        "data/annotations/dt05_real.json",
        "[{\"speaker\": \"F01\"}]",
    );
    let field = message(
        chime4(root, &part("isolated", Some(5)), MissingFiles::Refuse).unwrap_err(),
        root,
    );
    put(
        root,
        "data/annotations/dt05_real.json",
        "[{\n\"speaker\": }]",
    );
    let json = message(
        chime4(root, &part("isolated", Some(5)), MissingFiles::Refuse).unwrap_err(),
        root,
    );
    insta::assert_snapshot!([missing, field, json].join("\n"), @r"
        data/annotations/dt05_real.json:2: utterance M03_22GC010B_PED_REAL: file not found: data/audio/16kHz/isolated/dt05_ped_real/M03_22GC010B_PED.CH5.wav
        data/annotations/dt05_real.json: annotation 1: missing field `wsj_name`
        data/annotations/dt05_real.json:2: expected value at line 2 column 12
        ");
}
