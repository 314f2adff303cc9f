//! `padwise prepare` writes feature packs, and `padwise corpus` describes them.

use std::fs;
use std::path::Path;

use crate::common::{corpus, fails_with_usage, in_folder, padwise, real_data, succeeds};
use padwise_features::Corpus;
use padwise_features::npy::NpyArray;
use padwise_features::pack::Pack;
use padwise_features::raw::RawCorpus;
use tempfile::TempDir;

#[test]
fn a_manifest_becomes_a_pack_that_corpus_counts() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 10);
    let (labels, out) = (
        in_folder(&folder, "labels.ctm"),
        in_folder(&folder, "x.pack"),
    );
    let said = succeeds(&["prepare", &manifest, "--labels", &labels, "--out", &out]);
    assert_eq!(
        said.replace(&out, "x.pack"),
        "x.pack: 10 utterances, 822 frames; sample rate 16 kHz\n"
    );
    assert!(!Path::new(&format!("{out}.partial")).exists());
    let pack = Pack::open(&out).expect("a pack");
    let (features, labels) = pack.read(3).expect("an utterance");
    assert_eq!((features.cols(), labels.len()), (16, features.rows()));
    // SIL, high and low are classes 0, 1 and 2; frames outside every interval are silence.
    let names = pack.class_names().expect("labelled");
    assert_eq!(names, ["SIL", "high", "low"]);
    assert_eq!(
        (labels[0], labels[29], labels[30], labels[54], labels[55]),
        (2, 2, 1, 1, 0)
    );
    insta::assert_snapshot!(succeeds(&["corpus", &out]));
    let plot = in_folder(&folder, "picture");
    succeeds(&["corpus", &out, "--plot", &plot, "--format", "json"]);
    assert!(
        Path::new(&format!("{plot}.svg")).exists() && Path::new(&format!("{plot}.png")).exists()
    );
}

/// `analyze` reads the packs of `prepare`.
#[test]
fn a_pack_can_be_analysed() {
    let folder = TempDir::new().expect("a folder");
    let (manifest, out) = (corpus(folder.path(), 10), in_folder(&folder, "x.pack"));
    succeeds(&["prepare", &manifest, "--out", &out]);
    let rows = succeeds(&[
        "analyze",
        &out,
        "--strategy",
        "sorted,batch=2",
        "--format",
        "csv",
    ]);
    assert!(rows.contains(",10,5,0,"), "{rows}");
    let said = fails_with_usage(&["analyze", &out, "--column", "frames"]);
    assert!(
        said.ends_with("x.pack is a feature pack and has no columns: remove --column\n"),
        "{said}"
    );
}

/// Features from other tools accept labels in seconds if the frame hop is given. A front end can be described in a file.
#[test]
fn imported_features_accept_labels_and_files_describe_front_ends() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 4);
    let front_end = in_folder(&folder, "front-end.toml");
    fs::write(
        &front_end,
        "mfcc = { cepstra = 5 }\ndeltas = { order = 1, window = 2 }\n",
    )
    .expect("writable");
    let ours = in_folder(&folder, "ours.pack");
    let labels = in_folder(&folder, "labels.ctm");
    succeeds(&[
        "prepare",
        &manifest,
        "--features",
        &front_end,
        "--labels",
        &labels,
        "--out",
        &ours,
    ]);
    let ours = Pack::open(ours).expect("a pack");
    assert_eq!(ours.dims(), 10);

    let arrays = folder.path().join("arrays");
    fs::create_dir(&arrays).expect("writable");
    for utterance in 0..ours.len() {
        let (features, _) = ours.read(utterance).expect("an utterance");
        let header = format!(
            "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}\n",
            features.rows(),
            features.cols()
        );
        let mut file = b"\x93NUMPY\x01\0".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(features.as_slice().iter().flat_map(|x| x.to_le_bytes()));
        fs::write(arrays.join(format!("{}.npy", ours.id(utterance))), file).expect("writable");
    }
    let (arrays, theirs) = (
        arrays.display().to_string(),
        in_folder(&folder, "theirs.pack"),
    );
    let import = ["prepare", &arrays, "--labels", &labels, "--out", &theirs];
    assert!(fails_with_usage(&import).contains("--hop 10"));
    succeeds(&[&import[..], &["--hop", "10"]].concat());
    let theirs = Pack::open(theirs).expect("a pack");
    for utterance in 0..ours.len() {
        assert_eq!(
            theirs.read(utterance).expect("theirs"),
            ours.read(utterance).expect("ours")
        );
    }
}

/// Training sets have six channels; development sets also have a one-channel track.
#[test]
fn chime4_is_found_in_either_track() {
    let folder = TempDir::new().expect("a folder");
    let root = folder.path().display().to_string();
    let put = |path: &str, bytes: &[u8]| {
        let path = folder.path().join("data").join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, bytes).expect("writable");
    };
    for (set, audio) in [
        (
            "tr05_real",
            "isolated/tr05_bus_real/F01_22GC010A_BUS.CH5.wav",
        ),
        (
            "dt05_real",
            "isolated_1ch_track/dt05_bus_real/F01_22GC010A_BUS.wav",
        ),
    ] {
        let annotation =
            r#"[{"speaker": "F01", "wsj_name": "22GC010A", "environment": "BUS", "dot": "SO"}]"#;
        put(&format!("annotations/{set}.json"), annotation.as_bytes());
        put(&format!("audio/16kHz/{audio}"), &crate::common::wav(1));
    }
    for set in ["tr05_real", "dt05_real"] {
        assert!(
            succeeds(&["corpus", &root, "--set", set]).starts_with("1 utterance"),
            "{set}"
        );
    }
    assert!(fails_with_usage(&["corpus", &root]).contains("--set tr05_real"));
}

#[test]
fn shipped_configs_can_be_counted() {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let config = configs.join("synthetic.toml").display().to_string();
    assert!(succeeds(&["corpus", &config]).starts_with("2,000 utterances, 80 speakers"));
}

#[test]
fn the_same_corpus_is_counted_before_it_is_packed_and_from_a_config() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 3);
    assert!(succeeds(&["corpus", &manifest]).starts_with("3 utterances, 3 speakers"));
    let config = in_folder(&folder, "made-up.toml");
    fs::write(
        &config,
        "[corpus.synthetic]\nutterances = 30\nprofile = \"ljspeech\"\n",
    )
    .expect("writable");
    assert!(succeeds(&["corpus", &config]).starts_with("30 utterances"));
    fs::write(
        &config,
        "[corpus.synthetic]\nutterances = 30\nprofle = \"ljspeech\"\n",
    )
    .expect("writable");
    let said = fails_with_usage(&["corpus", &config]);
    assert!(said.contains("line 3") && said.contains("profle"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_written_is_a_runtime_failure() {
    let folder = TempDir::new().expect("a folder");
    let manifest = corpus(folder.path(), 1);
    let out = format!("{manifest}/x.pack");
    padwise()
        .args(["prepare", &manifest, "--out", &out])
        .assert()
        .code(3);
}

/// 296 real utterances, compared with features and labels from other tools.
#[test]
fn real_speech_agrees_with_the_goldens() {
    let name = "real_speech_agrees_with_the_goldens";
    let Some(audio) = real_data(name, "librispeech/audio") else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let out = in_folder(&folder, "audio.pack");
    let ctm = audio.join("phones.ctm").display().to_string();
    let corpus = audio.display().to_string();
    succeeds(&[
        "prepare", &corpus, "--labels", &ctm, "--dtype", "f32", "--out", &out,
    ]);
    let pack = Pack::open(&out).expect("a pack");
    assert_eq!(pack.len(), 296);
    let number = |id: &str| (0..pack.len()).find(|&i| pack.id(i) == id);

    let goldens = audio.join("../../golden_features");
    let mut compared = 0;
    for entry in fs::read_dir(goldens).expect("goldens").flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let Some(id) = file.strip_suffix(".kaldi_mfcc16.npy") else {
            continue;
        };
        let golden = NpyArray::open(entry.path()).expect("an array");
        let (features, _) = pack
            .read(number(id).expect("packed"))
            .expect("an utterance");
        assert_eq!(
            (features.rows(), features.cols()),
            (golden.rows(), golden.cols())
        );
        let mut expected = vec![0.0; golden.rows() * golden.cols()];
        golden
            .read_rows(0..golden.rows(), &mut expected)
            .expect("numbers");
        let pairs = features.as_slice().iter().zip(&expected);
        let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(largest <= 2e-3, "{id}: {largest}");
        compared += 1;
    }
    assert_eq!(compared, 3);

    let raw = RawCorpus::open(audio.join("../dev-clean-a.tar.xz")).expect("raw features");
    let (raw_names, names) = (
        raw.class_names().expect("names"),
        pack.class_names().expect("names"),
    );
    let mut shared = 0;
    for utterance in 0..raw.len() {
        let Some(ours) = number(raw.id(utterance)) else {
            continue;
        };
        let (_, expected) = raw.read(utterance).expect("an utterance");
        let (_, labels) = pack.read(ours).expect("an utterance");
        assert!(labels.len().abs_diff(expected.len()) <= 1);
        let same = labels
            .iter()
            .zip(&expected)
            .all(|(&a, &b)| names[a as usize] == raw_names[b as usize]);
        assert!(same, "{}", raw.id(utterance));
        shared += 1;
    }
    assert!(shared > 20, "{shared}");
}
