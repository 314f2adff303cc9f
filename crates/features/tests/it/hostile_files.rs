//! Files that are no files, and files that ask for more memory than they could fill.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;
use std::path::Path;

use crate::support::message;
use padwise_features::audio::{DecodeOptions, decode, probe};
use padwise_features::kaldi::{KaldiCorpus, KaldiFiles, read_int_vectors, read_matrices, read_scp};
use padwise_features::labels::{Alignments, FrameTiming, LabelSet};
use padwise_features::layouts::{MissingFiles, manifest};
use padwise_features::npy::{NpyArray, NpyCorpus, read_labels};
use padwise_features::pack::Pack;
use padwise_features::prepare::{PackOptions, pack_corpus};
use padwise_features::raw::RawCorpus;
use padwise_features::{Corpus, CorpusError};
use tempfile::TempDir;

/// A reader of a file, and its error.
type Reader = (&'static str, fn(&Path) -> Result<(), String>);

fn done<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<(), String> {
    result.map(drop).map_err(|error| error.to_string())
}

const READERS: [Reader; 12] = [
    ("pack", |path| done(Pack::open(path))),
    ("array", |path| done(NpyArray::open(path))),
    ("labels", |path| done(read_labels(path))),
    ("matrices", |path| done(read_matrices(path))),
    ("vectors", |path| done(read_int_vectors(path))),
    ("scp", |path| done(read_scp(path))),
    ("ctm", |path| done(Alignments::read_ctm(path))),
    ("textgrid", |path| {
        done(Alignments::read_textgrid(path, "a", "phones"))
    }),
    ("manifest", |path| {
        done(manifest(path, &[], MissingFiles::Refuse))
    }),
    ("archive", |path| done(RawCorpus::open(path))),
    ("decode", |path| {
        done(decode(path, &DecodeOptions::default()))
    }),
    ("probe", |path| done(probe(path))),
];

#[cfg(unix)]
#[test]
fn special_files_are_refused_at_once() {
    let folder = TempDir::new().unwrap();
    let fifo = folder.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for (name, read) in READERS {
        for (path, kind) in [
            (fifo.as_path(), "a FIFO (named pipe)"),
            (&socket, "a socket"),
            (Path::new("/dev/zero"), "a character device"),
            (Path::new("/"), "a folder"),
        ] {
            // A raw corpus may be a folder.
            if name == "archive" && kind == "a folder" {
                continue;
            }
            let expected = format!("{}: {kind}: expected a regular file", path.display());
            assert_eq!(read(path), Err(expected), "{name}");
        }
    }
}

#[test]
fn long_lines_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a");
    let line = "a".repeat((1 << 20) + 1);
    fs::write(&path, format!("id,path\n{line}")).unwrap();
    for (name, read) in READERS {
        if ["scp", "manifest"].contains(&name) {
            let said = read(&path).unwrap_err();
            assert!(said.contains("longer than 1048576 bytes"), "{name}: {said}");
        }
    }
    fs::write(&path, format!("u 1 0 1 a\n{line}")).unwrap();
    let error = Alignments::read_ctm(&path).unwrap_err();
    insta::assert_snapshot!(message(error, folder.path()), @"a:2: the line is longer than 1048576 bytes: not a text file of this kind");
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

/// A corpus of one frame that claims any number of classes.
struct Claims(usize);

impl Corpus for Claims {
    fn lengths(&self) -> &[u32] {
        &[1]
    }

    fn dims(&self) -> usize {
        1
    }

    fn classes(&self) -> Option<usize> {
        Some(self.0)
    }

    fn id(&self, _utterance: usize) -> &str {
        "a"
    }

    fn read_into(
        &self,
        _utterance: usize,
        _start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        features.fill(0.0);
        labels.fill(0);
        Ok(())
    }
}

#[test]
fn a_label_does_not_ask_for_billions_of_classes() {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, bytes: Vec<u8>| fs::write(folder.path().join(name), bytes).unwrap();
    put("a.npy", npy("<f4", "(1, 1)", &[0; 4]));
    put("a.labels.npy", npy("<i4", "(1,)", &i32::MAX.to_le_bytes()));
    let error = NpyCorpus::folder(folder.path()).unwrap_err();
    insta::assert_snapshot!(message(error, folder.path()), @"a.labels.npy: frame 0 has label 2147483647: labels must be integers from 0 to 65535");

    let out = folder.path().join("a.pack");
    let pack = |classes| {
        let options = PackOptions::default();
        pack_corpus(
            &Claims(classes),
            &out,
            serde_json::Value::Null,
            None,
            &options,
            |_| (),
        )
    };
    insta::assert_snapshot!(pack(1 << 40).unwrap_err(), @"cannot pack this corpus: 1099511627776 label classes: must be 1 to 65536");
    assert_eq!(pack(1 << 16).unwrap().classes(), Some(1 << 16));
}

#[test]
fn rows_outside_an_array_are_an_error() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.npy");
    fs::write(&path, npy("<f4", "(1, 1)", &[0; 4])).unwrap();
    let array = NpyArray::open(&path).unwrap();
    assert!(array.read_rows(0..usize::MAX, &mut []).is_err());
}

#[test]
fn a_matrix_larger_than_its_file_is_an_error_when_the_corpus_is_opened() {
    let folder = TempDir::new().unwrap();
    let ark = folder.path().join("a.ark");
    let mut bytes = b"a \0BDM \x04".to_vec();
    bytes.extend(1000i32.to_le_bytes());
    bytes.push(4);
    bytes.extend(1i32.to_le_bytes());
    // A byte per value, but doubles have eight.
    bytes.extend([0; 1000]);
    fs::write(&ark, bytes).unwrap();
    let feats = folder.path().join("feats.scp");
    fs::write(&feats, format!("a {}:2\n", ark.display())).unwrap();
    let files = KaldiFiles {
        feats,
        ..KaldiFiles::default()
    };
    let error = KaldiCorpus::open(&files).unwrap_err();
    insta::assert_snapshot!(message(error, folder.path()), @"a.ark: byte 17: a 1000 × 1 matrix does not fit in the remaining 1000 bytes");
}

#[test]
fn overlapping_utterances_of_a_raw_corpus_are_an_error() {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    put("feat1.f16le", &[0; 8]);
    put("labels.u8", &[0; 4]);
    put("phones.txt", b"SIL\n");
    put("index.csv", b"id,start_frame,n_frames\na,0,4\nb,0,4\n");
    let error = RawCorpus::open(folder.path()).unwrap_err();
    insta::assert_snapshot!(message(error, folder.path()), @".: index.csv:3: utterances overlap: together they have more frames than the 4 of the corpus");
}

#[test]
fn times_of_many_long_frames_do_not_overflow() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.ctm");
    fs::write(&path, "a 1 0.0 1.0 x\n").unwrap();
    let alignments = Alignments::read_ctm(&path).unwrap();
    let classes = LabelSet::sorted(["x"], "SIL").unwrap();
    let timing = FrameTiming::counted(3599.0).unwrap();
    let labels = alignments.frame_labels("a", 3_000_000, timing, &classes);
    assert_eq!(labels.unwrap().len(), 3_000_000);
}
