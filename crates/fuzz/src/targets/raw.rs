//! Raw corpora: plain arrays in a folder or in an archive.

use padwise_features::raw::RawCorpus;

use super::read_all;
use crate::{Target, parts, scratch, stored_xz};

const WORDS: &[&str] = &[
    "id,start_frame,n_frames",
    "index.csv",
    "labels.u8",
    "phones.txt",
    "text.tsv",
    "feat2.f16le",
    "feat65535.f16le",
    "ustar",
    "\n=====\n",
    "\t",
    ",",
];

/// A folder. The input is the number of dimensions and the files.
pub(super) const FOLDER: Target = Target {
    name: "raw-folder",
    run: folder,
    words: WORDS,
    repair: None,
    mutations: 5000,
};

/// An archive whose compression is added by the target.
pub(super) const TAR: Target = Target {
    name: "raw-tar",
    run: tar,
    words: WORDS,
    repair: None,
    mutations: 5000,
};

/// A compressed archive.
pub(super) const ARCHIVE: Target = Target {
    name: "raw-archive",
    run: archive,
    words: &["\u{fd}7zXZ", "YZ"],
    repair: None,
    mutations: 5000,
};

fn folder(input: &[u8]) {
    let parts = parts::split(input);
    let dims = String::from_utf8_lossy(parts[0]);
    let is_name = dims.len() < 100 && !dims.contains(['/', '\0']);
    let dims = if is_name { &*dims } else { "2" };
    let features = format!("feat{dims}.f16le");
    let names = [
        "index.csv",
        "phones.txt",
        "text.tsv",
        "labels.u8",
        &features,
    ];
    let path = scratch::files("raw", &names, parts.get(1..).unwrap_or_default());
    open(&path);
    // The next input may have another number of dimensions.
    let _ = std::fs::remove_file(path.join(features));
}

fn tar(input: &[u8]) {
    open(&scratch::file("raw.tar.xz", &stored_xz::wrap(input)));
}

fn archive(input: &[u8]) {
    open(&scratch::file("raw.tar.xz", input));
}

fn open(path: &std::path::Path) {
    match RawCorpus::open(path) {
        Ok(corpus) => read_all(&corpus),
        Err(error) => drop(error.to_string()),
    }
}
