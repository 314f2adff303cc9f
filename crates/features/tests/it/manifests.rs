//! Manifests: CSV and JSON lines, with the columns of padwise, NeMo and Lhotse.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;
use std::path::Path;

use crate::support::message;
use padwise_features::layouts::*;
use tempfile::TempDir;

fn put(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The utterances of a manifest with this text.
fn listed(root: &Path, name: &str, text: &str) -> Manifest {
    put(root, name, text);
    manifest(root.join(name), &[], MissingFiles::Refuse).unwrap()
}

fn ids(manifest: &Manifest) -> Vec<&str> {
    manifest
        .sources
        .iter()
        .map(|source| source.id.as_str())
        .collect()
}

#[test]
fn csv_and_json_manifests_are_equivalent() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    put(root, "a/one.wav", "");
    put(root, "two.flac", "");
    put(root, "two.npy", "");
    put(
        root,
        "m.csv",
        "id,text,path,labels,speaker\none,\"a, b\",a/one.wav,,x\ntwo,,two.flac,two.npy,\n",
    );
    put(
        root,
        "m.jsonl",
        r#"{"id": "one", "path": "a/one.wav", "text": "a, b", "speaker": "x"}

{"path": "two.flac", "id": "two", "labels": "two.npy"}
"#,
    );
    let found = manifest(root.join("m.csv"), &[], MissingFiles::Refuse).unwrap();
    assert_eq!(
        found,
        manifest(root.join("m.jsonl"), &[], MissingFiles::Refuse).unwrap()
    );
    assert_eq!((&found.notes[..], found.has_features), (&[][..], false));
    let sources = found.sources;
    assert_eq!(sources[0].text.as_deref(), Some("a, b"));
    assert_eq!(
        sources[1].labels.as_deref(),
        Some(root.join("two.npy").as_path())
    );
    assert_eq!((&sources[1].speaker, &sources[1].text), (&None, &None));
}

#[test]
fn manifest_errors_have_line_numbers() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    put(root, "one.wav", "");
    put(root, "one.npy", "");
    let mut said = Vec::new();
    for (name, text) in [
        (
            "m.csv",
            "id,path\none,one.wav\n\"t\nwo\",one.wav\none,one.wav\n",
        ),
        ("m.csv", "id,path\none,one.wav\ntwo,gone.wav\n"),
        ("m.csv", "id,path,wav\none,one.wav,one.wav\n"),
        ("m.csv", "id,path,id\none,one.wav,one\n"),
        ("m.csv", "path,start\none.wav,1\n"),
        ("m.csv", "path,start,duration\none.wav,-1,2\n"),
        ("m.csv", "path,start,duration\none.wav,1,two\n"),
        ("m.csv", "path,start,duration\none.wav,1,inf\n"),
        ("m.csv", "path,start,duration\none.npy,1,2\n"),
        ("m.csv", "path\none.wav\none.npy\n"),
        ("m.csv", "id\none\n"),
        ("m.csv", "id,path\none,one.wav\ntwo,one.wav,x\n"),
        ("m.csv", "id,path\n,one.wav\n"),
        ("m.csv", "id,path\n"),
        (
            "m.jsonl",
            "{\"id\": \"one\", \"path\": \"one.wav\"}\n{\"id\": \"one\"}\n",
        ),
        (
            "m.jsonl",
            "{\"id\": \"one\", \"path\": \"one.wav\"}\n{\"id\": \"one\", \"path\": \"one.wav\"}\n",
        ),
        ("m.jsonl", "[\n{\"path\": \"one.wav\"}\n]\n"),
        ("m.jsonl", "{\"path\": [\"one.wav\"]}\n"),
        (
            "m.jsonl",
            "{\"path\": \"one.wav\"}\n{\"audio\": \"one.wav\", \"id\": 2}\n",
        ),
        ("cuts.jsonl.gz", ""),
    ] {
        put(root, name, text);
        said.push(message(
            manifest(root.join(name), &[], MissingFiles::Refuse).unwrap_err(),
            root,
        ));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
        m.csv:5: duplicate id one, already used on line 2
        m.csv:3: utterance two: file not found: gone.wav
        m.csv:1: `wav` and `path` mean the same: keep one of them
        m.csv:1: two columns are named `id`
        m.csv:2: a start without a `duration`: add it, in seconds
        m.csv:2: start -1 s and duration 2 s: the start must be at least 0 and the duration above 0
        m.csv:2: the duration is `two`: it must be a number of seconds
        m.csv:2: the duration is `inf`: it must be a number of seconds
        m.csv:2: a start in a .npy file: only audio files have segments
        m.csv:3: .npy features, but line 2 is audio: write two manifests, or select rows with --where
        m.csv:1: no column with the files: expected `path`, `audio_filepath`, `audio` or `wav`; the columns are id
        m.csv:3: 3 fields, but the header line has 2
        m.csv:2: empty id
        m.csv: the manifest lists no utterances
        m.jsonl:2: no audio file: expected `path`, `audio_filepath`, `audio` or `wav`
        m.jsonl:2: duplicate id one, already used on line 1
        m.jsonl:1: `[`: expected one JSON object per line
        m.jsonl:1: `path` must be a text or a number
        m.jsonl:2: `audio` and `path` mean the same: keep one of them
        cuts.jsonl.gz: compressed: run `gunzip -k cuts.jsonl.gz`, then pass cuts.jsonl
        ");
}

/// NeMo's manifests have no ids, and segments of the same file.
#[test]
fn manifests_of_nemo_are_read() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    for name in ["wavs/a.wav", "wavs/b.c.flac"] {
        put(root, name, "");
    }
    let absolute = root.join("wavs/a.wav").display().to_string();
    let text = format!(
        r#"{{"audio_filepath": "wavs/b.c.flac", "duration": 4.5, "text": "one two", "speaker": 17}}
{{"audio_filepath": "wavs/a.wav", "duration": 1.25, "offset": 61.5, "text": ""}}
{{"audio_filepath": "./wavs/a.wav", "duration": 2, "offset": 0, "text": "x", "lang": "en"}}
{{"audio_filepath": "{absolute}", "duration": null}}
"#
    );
    let found = listed(root, "train.json", &text);
    assert_eq!(
        ids(&found),
        [
            "wavs/b.c",
            "wavs/a-0061500-0062750",
            "wavs/a-0000000-0002000",
            "wavs/a"
        ]
    );
    let [first, second, ..] = &found.sources[..] else {
        panic!("too few")
    };
    assert_eq!(
        (first.speaker.as_deref(), first.segment),
        (Some("17"), None)
    );
    assert_eq!(first.text.as_deref(), Some("one two"));
    assert_eq!((&second.text, &second.speaker), (&None, &None));
    assert_eq!(second.segment, Segment::new(61.5, 1.25));
    assert_eq!(found.notes, ["ignored column: lang"]);
}

const CUT: &str = r#"{"id": "cut-1", "start": 2.5, "duration": 4, "channel": 0, "type": "MonoCut",
    "supervisions": [
        {"id": "s1", "recording_id": "r", "start": 0, "duration": 2, "text": "good", "speaker": "anna"},
        {"id": "s2", "recording_id": "r", "start": 2, "duration": 2, "text": "morning", "speaker": "anna"}],
    "features": {"type": "kaldi"}, "custom": {"x": 1},
    "recording": {"id": "r", "sampling_rate": 16000, "num_samples": 160000, "duration": 10,
        "sources": [{"type": "file", "channels": [0], "source": "r.wav"}]}}"#;

fn cut(from: &str, to: &str) -> String {
    assert!(CUT.contains(from));
    CUT.replacen(from, to, 1).replace('\n', " ")
}

#[test]
fn cuts_of_lhotse_are_read() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    put(root, "r.wav", "");
    let second = cut("cut-1", "cut-2").replacen("anna", "bob", 1);
    let third = cut("cut-1", "cut-3").replace("[0]", "[0, 1]");
    let cuts = [cut("", ""), second, third].join("\n");
    let found = listed(root, "cuts.jsonl", &cuts);
    assert_eq!(ids(&found), ["cut-1", "cut-2", "cut-3"]);
    let first = &found.sources[0];
    assert_eq!(first.text.as_deref(), Some("good morning"));
    assert_eq!(first.speaker.as_deref(), Some("anna"));
    assert_eq!(first.segment, Segment::new(2.5, 4.0));
    assert_eq!(first.audio, root.join("r.wav"));
    assert_eq!(found.sources[1].speaker, None);
    assert_eq!(
        found.notes,
        [
            "1 cuts have several speakers: their speaker is left empty",
            "1 cuts select a channel, which is ignored: select it with --channel N"
        ]
    );
    let mut said = Vec::new();
    for (from, to) in [
        ("MonoCut", "MixedCut"),
        (r#""type": "file""#, r#""type": "url""#),
        (r#""channels""#, r#""source": "r.wav"}, {"channels""#),
        (r#""recording":"#, r#""recordings":"#),
        (r#""source":"#, r#""sauce":"#),
        (
            r#""sampling_rate""#,
            r#""transforms": [{"name": "Speed"}], "sampling_rate""#,
        ),
        (r#""duration": 4"#, r#""duration": 0"#),
    ] {
        put(root, "cuts.jsonl", &cut(from, to));
        said.push(message(
            manifest(root.join("cuts.jsonl"), &[], MissingFiles::Refuse).unwrap_err(),
            root,
        ));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
        cuts.jsonl:1: a MixedCut: only cuts of type MonoCut are supported
        cuts.jsonl:1: the source has type `url`: only `file` is supported
        cuts.jsonl:1: the recording has 2 sources: only one file is supported
        cuts.jsonl:1: the cut has no `recording`, so its audio is unknown
        cuts.jsonl:1: the source of the recording has no `source` with its file
        cuts.jsonl:1: the recording has `transforms`: save the transformed audio first
        cuts.jsonl:1: start 2.5 s and duration 0 s: the start must be at least 0 and the duration above 0
        ");
}

/// Columns that mean nothing here are named once, with a suggestion if one is probably misspelt.
#[test]
fn unknown_columns_are_noted() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    put(root, "a.wav", "");
    let note = |header: &str| {
        let values = vec!["a.wav"; header.split(',').count()].join(",");
        listed(root, "m.csv", &format!("{header}\n{values}\n")).notes
    };
    assert_eq!(note("id,path,frames"), [""; 0]);
    assert_eq!(
        note("path,speakr,split"),
        ["ignored columns: speakr (did you mean `speaker`?), split"]
    );
    assert_eq!(note("path,speaker,speakr"), ["ignored column: speakr"]);
    assert_eq!(
        note("path,c0,c1,c2,c3,c4,c5,c6,c7,c8"),
        ["ignored columns: c0, c1, c2, c3, c4, c5, c6, c7, …"]
    );
    assert_eq!(note("path,\u{1b}[2J"), ["ignored column: \\u{1b}[2J"]);
    let json = "{\"path\": \"a.wav\", \"x\": 1}\n{\"id\": \"b\", \"path\": \"a.wav\", \"x\": {}}\n";
    assert_eq!(listed(root, "m.jsonl", json).notes, ["ignored column: x"]);
}

/// Rows that are not selected may name missing files.
#[test]
fn rows_are_selected_by_their_values() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    put(root, "a.npy", "");
    put(root, "b.npy", "");
    put(
        root,
        "m.csv",
        "id,path,speaker,split\na,a.npy,x,train\nb,b.npy,y,train\nc,c.npy,x,test\n",
    );
    put(
        root,
        "m.jsonl",
        r#"{"id": "a", "path": "a.npy", "speaker": "x", "split": "train"}
{"id": "b", "path": "b.npy", "speaker": "y", "split": "train"}
{"id": "c", "path": "c.npy", "speaker": "x", "split": "test"}
"#,
    );
    let filters = |texts: &[&str]| -> Vec<RowFilter> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    };
    let mut said = Vec::new();
    for name in ["m.csv", "m.jsonl"] {
        let path = root.join(name);
        let train = manifest(&path, &filters(&["split=train"]), MissingFiles::Refuse).unwrap();
        assert_eq!(ids(&train), ["a", "b"]);
        assert_eq!((&train.notes[..], train.has_features), (&[][..], true));
        let one = manifest(
            &path,
            &filters(&["split = train", "speaker=y"]),
            MissingFiles::Refuse,
        )
        .unwrap();
        assert_eq!(ids(&one), ["b"]);
        for wrong in ["split=tset", "splt=train"] {
            let error = manifest(&path, &filters(&[wrong]), MissingFiles::Refuse).unwrap_err();
            said.push(message(error, root));
        }
    }
    insta::assert_snapshot!(said.join("\n"), @r"
        m.csv: none of the 3 rows has split=tset; values of split: test, train
        m.csv:1: no column `splt` (did you mean `split`?); the columns are id, path, speaker, split
        m.jsonl: none of the 3 rows has split=tset; values of split: test, train
        m.jsonl: no column `splt` (did you mean `split`?); the columns are id, path, speaker, split
        ");
    assert!("train".parse::<RowFilter>().is_err() && "=x".parse::<RowFilter>().is_err());
}

/// Spreadsheets write a byte-order mark and spaces.
#[test]
fn marks_and_spaces_are_ignored() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    put(root, "a.wav", "");
    let csv = listed(root, "m.csv", "\u{feff}id, path\r\n a ,a.wav \r\n");
    let json = listed(
        root,
        "m.jsonl",
        "\u{feff}{\"id\": \"a\", \"path\": \"a.wav\"}",
    );
    assert_eq!(csv, json);
    assert_eq!((ids(&csv), csv.notes.len()), (vec!["a"], 0));
}
