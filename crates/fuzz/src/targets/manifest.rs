//! Manifests of audio files, and the lists of published corpora.

use padwise_features::layouts::{MissingFiles, manifest};

use crate::{Target, scratch};

pub(super) const MANIFEST: Target = Target {
    name: "manifest",
    run,
    words: &[
        "id,path",
        "labels",
        "speaker",
        "text",
        "{\"id\":\"",
        "\"path\":\"",
        "null",
        "\"\"",
        "\r\n",
    ],
    repair: None,
    mutations: 8000,
};

fn run(input: &[u8]) {
    for name in ["manifest.csv", "manifest.jsonl"] {
        match manifest(scratch::file(name, input), MissingFiles::Refuse) {
            Ok(sources) => assert!(sources.iter().all(|source| !source.id.is_empty())),
            Err(error) => drop(error.to_string()),
        }
    }
}
