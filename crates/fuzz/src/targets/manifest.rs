//! Manifests of audio files, and the lists of published corpora.

use padwise_features::layouts::{
    MissingFiles, RowFilter, Source, folder, librispeech, ljspeech, manifest,
};

use crate::{Target, parts, scratch};

pub(super) const MANIFEST: Target = Target {
    name: "manifest",
    run: run_manifest,
    words: &[
        "id,path",
        "labels",
        "speaker",
        "text",
        "offset",
        "duration",
        "audio_filepath",
        "{\"id\":\"",
        "\"path\":\"",
        "\"recording\":{\"sources\":[{\"source\":\"",
        "\"supervisions\":[",
        "MonoCut",
        "1e308",
        "null",
        "\"\"",
        "\r\n",
    ],
    repair: None,
    mutations: 8000,
};

pub(super) const FOLDER: Target = Target {
    name: "folder",
    run: run_folder,
    words: &["\u{feff}", "\r\n", "\u{2028}", "\n=====\n"],
    repair: None,
    mutations: 3000,
};

pub(super) const LIBRISPEECH: Target = Target {
    name: "librispeech",
    run: run_librispeech,
    words: &["1-2-0000", "1-2-0001", " ", "\r\n", "/", ".."],
    repair: None,
    mutations: 4000,
};

pub(super) const LJSPEECH: Target = Target {
    name: "ljspeech",
    run: run_ljspeech,
    words: &["LJ001-0001", "LJ001-0002", "|", "\r\n", "/", ".."],
    repair: None,
    mutations: 4000,
};

/// Rows name these files, which exist.
fn audio_files(folder: &str) {
    for name in ["a.wav", "b.flac", "a.npy"] {
        scratch::file(&format!("{folder}/{name}"), b"");
    }
}

fn run_manifest(input: &[u8]) {
    audio_files("manifest");
    let filter: RowFilter = "split=train".parse().expect("a valid condition");
    for name in ["manifest/manifest.csv", "manifest/manifest.jsonl"] {
        let path = scratch::file(name, input);
        for filters in [&[][..], std::slice::from_ref(&filter)] {
            match manifest(&path, filters, MissingFiles::Refuse) {
                Ok(found) => {
                    check(&found.sources);
                    assert!(found.notes.iter().all(|note| !note.contains('\n')));
                    for source in found.sources {
                        let samples = source.segment.map(|s| s.samples(16_000, 16_000));
                        if let Some(Ok(samples)) = samples {
                            assert!(samples.start <= samples.end && samples.end <= 16_000);
                        }
                    }
                }
                Err(error) => drop(error.to_string()),
            }
        }
    }
}

fn run_folder(input: &[u8]) {
    let names = ["a/1.txt", "a/b/2.txt", "3.TXT"];
    for audio in ["a/1.wav", "a/b/2.FLAC", "3.wav"] {
        scratch::file(&format!("folder/{audio}"), b"");
    }
    let root = scratch::files("folder", &names, &parts::split(input));
    match folder(root, MissingFiles::Refuse) {
        Ok(sources) => {
            check(&sources);
            assert_eq!(sources.len(), 3);
            let mut texts = sources.iter().filter_map(|source| source.text.as_ref());
            assert!(texts.all(|text| !text.contains(['\n', '\r', '\t'])));
        }
        Err(error) => drop(error.to_string()),
    }
}

fn run_librispeech(input: &[u8]) {
    for number in 0..3 {
        scratch::file(&format!("librispeech/1/2/1-2-000{number}.flac"), b"");
    }
    let path = scratch::file("librispeech/1/2/1-2.trans.txt", input);
    let root = path.ancestors().nth(3).expect("a folder");
    match librispeech(root, MissingFiles::Refuse) {
        Ok(sources) => check(&sources),
        Err(error) => drop(error.to_string()),
    }
}

fn run_ljspeech(input: &[u8]) {
    for number in 1..4 {
        scratch::file(&format!("ljspeech/wavs/LJ001-000{number}.wav"), b"");
    }
    let path = scratch::file("ljspeech/metadata.csv", input);
    match ljspeech(path.parent().expect("a folder"), MissingFiles::Refuse) {
        Ok(sources) => check(&sources),
        Err(error) => drop(error.to_string()),
    }
}

/// Ids must be unique and files must exist.
fn check(sources: &[Source]) {
    let ids: std::collections::BTreeSet<&str> = sources.iter().map(|s| s.id.as_str()).collect();
    assert_eq!(ids.len(), sources.len(), "an id occurs twice");
    assert!(
        sources
            .iter()
            .all(|s| !s.id.is_empty() && s.audio.is_file())
    );
}
