//! Kaldi archives, alignments and data folders.

use padwise_features::kaldi::{KaldiCorpus, KaldiFiles, read_int_vectors, read_matrices};
use padwise_features::labels::{FrameLabels, FrameTiming};

use super::read_all;
use crate::{Target, parts, scratch};

const WORDS: &[&str] = &[
    "\0BFM \u{4}",
    "\0BDM \u{4}",
    "\0BCM ",
    "\0BCM2 ",
    "\0BCM3 ",
    "\0B\u{4}",
    " [",
    "]\n",
    "[0:1]",
    "feats.ark:",
    "utt-1 ",
    "\n=====\n",
];

/// An archive of matrices.
pub(super) const ARCHIVE: Target = Target {
    name: "kaldi-ark",
    run: archive,
    words: WORDS,
    repair: None,
    mutations: 8000,
};

/// An archive of alignments.
pub(super) const ALIGNMENT: Target = Target {
    name: "kaldi-ali",
    run: alignment,
    words: WORDS,
    repair: None,
    mutations: 8000,
};

/// A data folder: `feats.scp`, `feats.ark`, `ali.ark`, `utt2spk`, `text`.
pub(super) const FOLDER: Target = Target {
    name: "kaldi-scp",
    run: folder,
    words: WORDS,
    repair: None,
    mutations: 5000,
};

fn archive(input: &[u8]) {
    match read_matrices(scratch::file("feats.ark", input)) {
        Err(error) => drop(error.to_string()),
        Ok(matrices) => {
            for (_, matrix) in matrices {
                let numbers = matrix.rows() * matrix.cols();
                assert_eq!(matrix.as_slice().len(), numbers);
            }
        }
    }
}

fn alignment(input: &[u8]) {
    let path = scratch::file("ali.ark", input);
    let vectors = match read_int_vectors(&path) {
        Err(error) => return drop(error.to_string()),
        Ok(vectors) => vectors,
    };
    let timing = FrameTiming::counted(0.01).expect("a valid hop");
    if let Ok(labels) = FrameLabels::read(&path, "sil") {
        for (id, vector) in &vectors {
            let _ = labels.of(id, vector.len() as u32, timing);
            let _ = labels.fingerprint(id);
        }
    }
}

fn folder(input: &[u8]) {
    let names = ["feats.scp", "feats.ark", "ali.ark", "utt2spk", "text"];
    let parts = parts::split(input);
    let folder = scratch::files("kaldi", &names, &parts);
    let optional = |number: usize| Some(folder.join(names[number])).filter(|path| path.exists());
    let corpus = KaldiCorpus::open(&KaldiFiles {
        feats: folder.join("feats.scp"),
        alignments: optional(2).into_iter().collect(),
        utt2spk: optional(3),
        text: optional(4),
    });
    match corpus {
        Ok(corpus) => read_all(&corpus),
        Err(error) => drop(error.to_string()),
    }
}
