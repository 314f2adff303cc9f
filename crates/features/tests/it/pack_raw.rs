//! Plain arrays as a corpus, and as a pack.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;

use crate::support::{message, shared_data};
use padwise_features::corpus::Corpus;
use padwise_features::labels::{Alignments, FrameTiming, LabelSet};
use padwise_features::prepare::{PackOptions, pack_corpus};
use padwise_features::raw::RawCorpus;
use tempfile::TempDir;

#[test]
fn real_speech_is_read_from_its_archive_and_packed() {
    let archive = "librispeech/dev-clean-a.tar.xz";
    let Some(path) = shared_data("packing real features", archive) else {
        return;
    };
    let raw = RawCorpus::open(&path).unwrap();
    assert_eq!((raw.dims(), raw.classes()), (16, Some(41)));
    let frames: u64 = raw.lengths().iter().map(|&n| u64::from(n)).sum();
    assert_eq!(frames, 966_674);
    assert_eq!((raw.id(0), raw.lengths()[0]), ("1272-128104-0000", 584));
    assert_eq!(raw.speaker(0), Some("1272"));
    assert!(raw.text(0).unwrap().starts_with("MISTER QUILTER"));
    assert_eq!(raw.class_names().unwrap()[0], "SIL");

    // The CTM file was converted from the same labels.
    let ctm = path.with_file_name("audio").join("phones.ctm");
    let alignments = Alignments::read_ctm(ctm).unwrap();
    let classes = LabelSet::given(raw.class_names().unwrap().to_vec(), "SIL").unwrap();
    let timing = FrameTiming::counted(0.010).unwrap();
    let aligned = (0..raw.len()).filter(|&n| alignments.intervals(raw.id(n)).is_some());
    let mut compared = 0;
    for n in aligned {
        let labels = alignments.frame_labels(raw.id(n), raw.lengths()[n], timing, &classes);
        assert_eq!(labels.unwrap(), raw.read(n).unwrap().1, "{}", raw.id(n));
        compared += 1;
    }
    assert!(compared > 20, "{compared}");

    let folder = TempDir::new().unwrap();
    let path = folder.path().join("dev.pack");
    let front_end = serde_json::json!({"kind": "kaldi-mfcc", "dims": 16});
    let pack = pack_corpus(&raw, path, front_end, None, &PackOptions::default(), |_| ()).unwrap();
    pack.verify().unwrap();
    assert_eq!(pack.lengths(), raw.lengths());
    for utterance in (0..raw.len()).step_by(97) {
        assert_eq!(pack.text(utterance), raw.text(utterance));
        assert!(pack.read(utterance).unwrap() == raw.read(utterance).unwrap());
    }
}

#[test]
fn inconsistent_arrays_are_errors() {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let said = || match RawCorpus::open(folder.path()) {
        Ok(_) => "fine".into(),
        Err(error) => message(error, folder.path()),
    };
    let mut all = vec![said()];
    put("phones.txt", b"SIL\nA\n");
    put("feat2.f16le", &[0; 3 * 4]);
    put("labels.u8", &[0, 1, 0]);
    all.push(said());
    put("index.csv", b"id,start_frame,n_frames\na-0,0,2\nb-0,2,1\n");
    all.push(said());
    put("text.tsv", b"a-0\tHELLO\n");
    let corpus = RawCorpus::open(folder.path()).unwrap();
    assert_eq!((corpus.text(0), corpus.text(1)), (Some("HELLO"), None));
    assert_eq!(corpus.read(0).unwrap().1, [0, 1]);
    put("index.csv", b"id,start_frame,n_frames\na-0,0,2\nb-0,2,2\n");
    all.push(said());
    put("index.csv", b"id,start_frame,n_frames\na-0,0,2\na-0,2,1\n");
    all.push(said());
    put("index.csv", b"id,start_frame,n_frames\na-0,0\n");
    all.push(said());
    put("labels.u8", &[0, 1, 2]);
    all.push(said());
    put("labels.u8", &[0, 1]);
    all.push(said());
    put("text.tsv", b"a-0 HELLO\n");
    put("labels.u8", &[0, 1, 0]);
    put("index.csv", b"id,start_frame,n_frames\na-0,0,2\n");
    all.push(said());
    put("text.tsv", b"");
    put("feat2.f16le", &[0, 0, 0, 0, 0, 0, 0, 0xfc, 0, 0, 0, 0]);
    all.push(said());
    insta::assert_snapshot!(all.join("\n"), @r"
        .: featN.f16le: file not found
        .: index.csv: file not found
        fine
        .: index.csv:3: utterance b-0: 2 frames from frame 2, but the corpus has 3
        .: index.csv:3: duplicate utterance a-0, already on line 2
        .: index.csv:2: expected id,start_frame,n_frames
        .: labels.u8: frame 2 has label 2, but phones.txt has 2 classes
        .: feat2.f16le: 12 bytes, but 2 labels with 2 dimensions need 8
        .: text.tsv:1: expected id, tab, text
        .: feat2.f16le: frame 1, dimension 1 is NaN or infinite: features must be finite
        ");
}

#[test]
fn a_file_that_is_not_an_archive_is_an_error() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("x.tar.xz");
    fs::write(&path, b"not an archive at all, only some text").unwrap();
    assert!(
        RawCorpus::open(&path)
            .unwrap_err()
            .to_string()
            .starts_with(path.to_str().unwrap())
    );
    assert!(RawCorpus::open(folder.path().join("nowhere")).is_err());
}
