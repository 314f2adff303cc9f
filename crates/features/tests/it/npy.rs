//! Arrays written by NumPy.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;

use crate::support::{cases, golden, message};
use padwise_features::FileError;
use padwise_features::corpus::Corpus;
use padwise_features::npy::*;
use proptest::prelude::*;
use tempfile::TempDir;

fn base() -> Vec<f32> {
    (0..12).map(|n| (n as f32 - 5.5) * 0.25).collect()
}

#[test]
fn every_type_and_order_gives_the_same_numbers() {
    for name in [
        "c_f2",
        "c_f4",
        "c_f8",
        "fortran_f2",
        "fortran_f4",
        "fortran_f8",
        "big_endian_f4",
    ] {
        let array = NpyArray::open(golden("npy").join(format!("{name}.npy"))).unwrap();
        assert_eq!((array.rows(), array.cols()), (4, 3), "{name}");
        let mut numbers = [0.0; 12];
        array.read_rows(0..4, &mut numbers).unwrap();
        assert_eq!(numbers.as_slice(), base(), "{name}");
        let mut some = [0.0; 6];
        array.read_rows(1..3, &mut some).unwrap();
        assert_eq!(some, base()[3..9], "{name}");
    }
    for name in ["labels_u1", "labels_i8", "labels_u2_big_endian"] {
        let labels = read_labels(golden("npy").join(format!("{name}.npy"))).unwrap();
        assert_eq!(labels, [0, 1, 255, 2], "{name}");
    }
}

#[test]
fn errors_have_file_row_and_column() {
    let folder = golden("npy");
    let features = |name: &str| {
        let result = NpyArray::open(folder.join(name))
            .and_then(|array| array.read_rows(0..array.rows(), &mut [0.0; 12]));
        message(result.unwrap_err(), &folder)
    };
    let labels = |name: &str| message(read_labels(folder.join(name)).unwrap_err(), &folder);
    insta::assert_snapshot!(
        [
            features("nan_at_2_1.npy"),
            features("infinite_at_3_0.npy"),
            features("one_dimension.npy"),
            features("complex.npy"),
            features("labels_u1.npy"),
            features("make.py"),
            labels("labels_negative.npy"),
            labels("c_f4.npy"),
            labels("one_dimension.npy"),
        ]
        .join("\n"), @r"
        nan_at_2_1.npy: row 2, column 1 is NaN: features must be finite float32 numbers
        infinite_at_3_0.npy: row 3, column 0 is -inf: features must be finite float32 numbers
        one_dimension.npy: array of shape [3]: expected two axes, frames × dimensions
        complex.npy: unsupported element type '<c8': use float16, float32, float64 or an integer type
        labels_u1.npy: array of shape [4]: expected two axes, frames × dimensions
        make.py: not a .npy file: wrong magic number
        labels_negative.npy: frame 1 has label -1: labels must be integers from 0 to 65535
        c_f4.npy: array of shape [4, 3]: expected one axis, one label per frame
        one_dimension.npy: float array: labels must be integers
        ");
}

#[test]
fn a_folder_is_a_corpus() {
    let folder = TempDir::new().unwrap();
    let copy = |from: &str, to: &str| {
        fs::copy(golden("npy").join(from), folder.path().join(to)).unwrap();
    };
    assert!(matches!(
        NpyCorpus::folder(folder.path()),
        Err(FileError::Content { .. })
    ));
    copy("c_f4.npy", "b.npy");
    copy("fortran_f2.npy", "a.npy");
    copy("labels_u1.npy", "a.labels.npy");
    let said = NpyCorpus::folder(folder.path()).unwrap_err().to_string();
    assert!(
        said.ends_with("b.npy: no labels, but 1 others have labels: label all utterances or none"),
        "{said}"
    );
    copy("labels_i8.npy", "b.labels.npy");
    let corpus = NpyCorpus::folder(folder.path()).unwrap();
    assert_eq!(
        (corpus.id(0), corpus.id(1), corpus.lengths()),
        ("a", "b", &[4, 4][..])
    );
    assert_eq!(corpus.classes(), Some(256));
    let (features, labels) = corpus.read(1).unwrap();
    assert_eq!(
        (features.as_slice(), labels),
        (base().as_slice(), vec![0, 1, 255, 2])
    );
    copy("nan_at_2_1.npy", "c.npy");
    copy("labels_u1.npy", "c.labels.npy");
    let corpus = NpyCorpus::folder(folder.path()).unwrap();
    insta::assert_snapshot!(message(corpus.read(2).unwrap_err(), folder.path()), @"c.npy: row 2, column 1 is NaN: features must be finite float32 numbers");
}

#[test]
fn mismatched_labels_are_errors() {
    let file = |name: &str| golden("npy").join(name);
    let open = |labels: &str, classes: usize| {
        let utterance = NpyUtterance {
            id: "a".into(),
            features: file("c_f4.npy"),
            labels: Some(file(labels)),
            ..NpyUtterance::default()
        };
        let names = (0..classes).map(|n| n.to_string()).collect();
        message(
            NpyCorpus::open(vec![utterance], Some(names)).unwrap_err(),
            &golden("npy"),
        )
    };
    insta::assert_snapshot!([open("labels_u1.npy", 4), open("labels_negative.npy", 4)].join("\n"), @r"
        labels_u1.npy: frame 2 has label 255: labels must be integers below 4, the number of classes
        labels_negative.npy: frame 1 has label -1: labels must be integers from 0 to 65535
        ");
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn damaged_files_are_errors_not_crashes(name in prop::sample::select(vec!["c_f2", "fortran_f8", "labels_u1"]), place in 0.0f64..1.0, byte: u8, cut: bool) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x.npy");
        let mut bytes = fs::read(golden("npy").join(format!("{name}.npy"))).unwrap();
        let place = (bytes.len() as f64 * place) as usize;
        if cut {
            bytes.truncate(place);
            fs::write(&path, &bytes).unwrap();
            prop_assert!(NpyArray::open(&path).is_err());
        } else {
            bytes[place] = byte;
            fs::write(&path, &bytes).unwrap();
            if let Ok(array) = NpyArray::open(&path) {
                let _ = array.read_rows(0..array.rows(), &mut vec![0.0; array.rows() * array.cols()]);
            }
        }
        let _ = read_labels(&path);
    }
}
