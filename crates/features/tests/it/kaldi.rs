//! Kaldi files: ours and Kaldi's are interchangeable.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;
use std::path::Path;

use crate::support::{cases, frames, golden, message};
use padwise_features::Matrix;
use padwise_features::corpus::Corpus;
use padwise_features::kaldi::*;
use padwise_features::npy::NpyArray;
use proptest::prelude::*;
use tempfile::TempDir;

fn expected(name: &str, key: &str) -> Matrix {
    let array = NpyArray::open(golden("kaldi").join(format!("{name}.{key}.npy"))).unwrap();
    let mut matrix = Matrix::zeros(array.rows(), array.cols());
    array
        .read_rows(0..array.rows(), matrix.as_mut_slice())
        .unwrap();
    matrix
}

fn near(found: &Matrix, expected: &Matrix) {
    assert_eq!(
        (found.rows(), found.cols()),
        (expected.rows(), expected.cols())
    );
    for (found, expected) in found.as_slice().iter().zip(expected.as_slice()) {
        assert!(
            (found - expected).abs() <= 1e-5 * expected.abs().max(1.0),
            "{found} {expected}"
        );
    }
}

#[test]
fn matrices_are_read_as_kaldi_reads_them() {
    for name in ["float", "double", "text", "cm", "cm2", "cm3"] {
        let path = golden("kaldi").join(format!("{name}.ark"));
        let matrices = read_matrices(&path).unwrap();
        assert_eq!(matrices.len(), 2, "{name}");
        let places = read_scp(golden("kaldi").join(format!("{name}.scp"))).unwrap();
        assert_eq!(places.len(), 2, "{name}");
        for (key, matrix) in &matrices {
            near(matrix, &expected(name, key));
        }
        let corpus = KaldiCorpus::open(&KaldiFiles {
            feats: golden("kaldi").join(format!("{name}.scp")),
            ..KaldiFiles::default()
        })
        .unwrap();
        assert_eq!((corpus.lengths(), corpus.dims()), (&[7, 11][..], 3));
        for (n, (key, matrix)) in matrices.iter().enumerate() {
            assert_eq!(corpus.id(n), key);
            assert_eq!(&corpus.read(n).unwrap().0, matrix);
        }
    }
}

#[test]
fn alignments_are_read_as_kaldi_writes_them() {
    let expected = [("utt-a", vec![0, 1, 1, 2, 2, 2, 0]), ("utt-b", vec![3; 11])]
        .map(|(key, vector)| (key.to_string(), vector));
    for name in ["ali.ark", "ali_text.ark"] {
        assert_eq!(
            read_int_vectors(golden("kaldi").join(name)).unwrap(),
            expected
        );
    }
}

#[test]
fn a_data_folder_is_a_corpus() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("utt2spk"), "utt-a anna\nutt-b bert\n").unwrap();
    fs::write(at("text"), "utt-a  GUTEN  TAG\n\nutt-b\n").unwrap();
    let files = KaldiFiles {
        feats: golden("kaldi").join("cm.scp"),
        alignments: vec![golden("kaldi").join("ali.ark")],
        utt2spk: Some(at("utt2spk")),
        text: Some(at("text")),
    };
    let corpus = KaldiCorpus::open(&files).unwrap();
    assert_eq!((corpus.classes(), corpus.class_names()), (Some(4), None));
    assert_eq!(corpus.speaker(1), Some("bert"));
    assert_eq!(
        (corpus.text(0), corpus.text(1)),
        (Some("GUTEN  TAG"), Some(""))
    );
    assert_eq!(corpus.fits().exact, 2);
    let mut labels = [0; 3];
    corpus.read_into(0, 3, &mut [0.0; 9], &mut labels).unwrap();
    assert_eq!(labels, [2, 2, 2]);

    // A difference of one frame is fixed and counted; two are a mismatch.
    fs::write(
        at("ali"),
        "utt-a 0 1 1 2 2 2\nutt-b 3 3 3 3 3 3 3 3 3 3 3 9\n",
    )
    .unwrap();
    let off_by = |ali: &str| KaldiFiles {
        alignments: vec![at(ali)],
        ..files.clone()
    };
    let corpus = KaldiCorpus::open(&off_by("ali")).unwrap();
    assert_eq!((corpus.fits().repeated, corpus.fits().cut), (1, 1));
    assert_eq!(corpus.read(0).unwrap().1, [0, 1, 1, 2, 2, 2, 2]);
    fs::write(at("short"), "utt-a 0 1 1 2 2\n").unwrap();
    let error = KaldiCorpus::open(&off_by("short")).unwrap_err();
    insta::assert_snapshot!(message(error, folder.path()), @"short: 2 utterances have labels and features of different lengths; the first: utterance utt-a has 5 labels but 7 frames: check that both use the same hop and the same audio");
}

#[test]
fn ranges_in_script_files_are_rows() {
    let folder = TempDir::new().unwrap();
    let scp = folder.path().join("feats.scp");
    let ark = golden("kaldi").join("float.ark");
    let write = |place: &str| fs::write(&scp, format!("x {}{place}\n", ark.display())).unwrap();
    let open = || {
        KaldiCorpus::open(&KaldiFiles {
            feats: scp.clone(),
            ..KaldiFiles::default()
        })
    };
    write(":6[2:4]");
    let corpus = open().unwrap();
    assert_eq!(corpus.lengths(), [3]);
    assert_eq!(
        corpus.read(0).unwrap().0.as_slice(),
        &expected("float", "utt-a").as_slice()[6..15]
    );
    let mut said = Vec::new();
    for place in [
        ":6[2:7]",
        ":6[:,0:1]",
        ":7",
        ":999999",
        ":99999999999999999999",
        " |",
    ] {
        write(place);
        let error = message(open().unwrap_err(), ark.parent().unwrap());
        said.push(error.replace(&format!("{}/", folder.path().display()), ""));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
        float.ark: utterance x: row 7 requested, but the matrix has 7 rows, numbered from 0
        feats.scp:1: unsupported range [:,0:1]: expected rows, [first:last]
        float.ark: byte 7: neither a binary object nor text
        float.ark: byte 999999: past the end: the file has 258 bytes
        feats.scp:1: offset 99999999999999999999 is too large
        feats.scp:1: commands are not supported: run the command, and list the file it writes
        ");
}

#[test]
fn duplicate_keys_in_tables_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("utt2spk");
    fs::write(&path, "a x\nb y\na z\n").unwrap();
    insta::assert_snapshot!(message(read_table(&path).unwrap_err(), folder.path()), @"utt2spk:3: duplicate key a, already on line 1");
}

#[test]
fn compressed_files_are_errors() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("ali.1.gz");
    fs::write(&path, b"\x1f\x8b\x08\0rest").unwrap();
    insta::assert_snapshot!(message(read_int_vectors(&path).unwrap_err(), folder.path()), @"ali.1.gz: byte 0: compressed with gzip: decompress it first");
}

fn write(folder: &Path, matrices: &[Matrix], form: MatrixForm) -> std::path::PathBuf {
    let ark = folder.join("x.ark");
    let mut writer = ArkWriter::create(&ark, folder.join("x.scp")).unwrap();
    for (n, matrix) in matrices.iter().enumerate() {
        writer.matrix(&format!("utt{n}"), matrix, form).unwrap();
    }
    writer.finish().unwrap();
    ark
}

#[test]
fn our_archives_are_identical_to_kaldis() {
    let folder = TempDir::new().unwrap();
    let ark = folder.path().join("x.ark");
    let mut writer = ArkWriter::create(&ark, folder.path().join("x.scp")).unwrap();
    for (key, matrix) in read_matrices(golden("kaldi").join("float.ark")).unwrap() {
        writer.matrix(&key, &matrix, MatrixForm::Float).unwrap();
    }
    writer.finish().unwrap();
    assert!(fs::read(&ark).unwrap() == fs::read(golden("kaldi").join("float.ark")).unwrap());
    let mut writer = ArkWriter::create(&ark, folder.path().join("x.scp")).unwrap();
    for (key, vector) in read_int_vectors(golden("kaldi").join("ali.ark")).unwrap() {
        writer.int_vector(&key, &vector).unwrap();
    }
    assert!(writer.int_vector("two words", &[]).is_err());
    writer.finish().unwrap();
    assert!(fs::read(&ark).unwrap() == fs::read(golden("kaldi").join("ali.ark")).unwrap());
}

fn forms() -> impl Strategy<Value = MatrixForm> {
    prop_oneof![
        Just(MatrixForm::Text),
        Just(MatrixForm::Float),
        Just(MatrixForm::Double)
    ]
}

proptest! {
    #![proptest_config(cases(80))]

    #[test]
    fn matrices_round_trip(
        rows in prop::collection::vec(1usize..30, 1..5),
        cols in 1usize..8,
        scale in 1e-20f32..1e20,
        form in forms(),
    ) {
        let folder = TempDir::new().unwrap();
        let matrices: Vec<Matrix> = rows.iter().enumerate().map(|(n, &rows)| {
            let numbers = frames(rows, cols, n);
            Matrix::from_rows(cols, numbers.as_slice().iter().map(|x| x * scale).collect())
        }).collect();
        let ark = write(folder.path(), &matrices, form);
        let read: Vec<Matrix> = read_matrices(ark).unwrap().into_iter().map(|(_, m)| m).collect();
        prop_assert!(read == matrices);
        let corpus = KaldiCorpus::open(&KaldiFiles { feats: folder.path().join("x.scp"), ..KaldiFiles::default() }).unwrap();
        for (n, matrix) in matrices.iter().enumerate() {
            prop_assert!(&corpus.read(n).unwrap().0 == matrix);
        }
    }

    #[test]
    fn damaged_archives_are_errors_not_crashes(name in prop::sample::select(vec!["float", "double", "text", "cm", "cm2", "cm3", "ali"]), place in 0.0f64..1.0, byte: u8, cut: bool) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("x.ark");
        let mut bytes = fs::read(golden("kaldi").join(format!("{name}.ark"))).unwrap();
        let place = (bytes.len() as f64 * place) as usize;
        if cut {
            bytes.truncate(place);
        } else {
            bytes[place] = byte;
        }
        fs::write(&path, bytes).unwrap();
        let _ = read_matrices(&path);
        let _ = read_int_vectors(&path);
    }
}

/// Impossible sizes and labels are errors before any memory is allocated for them.
#[test]
fn impossible_sizes_and_labels_are_errors() {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    let mut huge = b"a \0BFM \x04".to_vec();
    huge.extend(i32::MAX.to_le_bytes());
    huge.push(4);
    huge.extend(i32::MAX.to_le_bytes());
    put("feats.ark", &huge);
    put(
        "feats.scp",
        format!("a {}:2\n", folder.path().join("feats.ark").display()).as_bytes(),
    );
    let files = KaldiFiles {
        feats: folder.path().join("feats.scp"),
        ..KaldiFiles::default()
    };
    let said = KaldiCorpus::open(&files).unwrap_err().to_string();
    assert!(
        said.contains("2147483647 × 2147483647 matrix does not fit in the remaining 0 bytes"),
        "{said}"
    );

    let mut writer = ArkWriter::create(
        folder.path().join("feats.ark"),
        folder.path().join("feats.scp"),
    )
    .unwrap();
    writer
        .matrix("a", &Matrix::zeros(2, 3), MatrixForm::Float)
        .unwrap();
    writer.finish().unwrap();
    for (ali, expected) in [
        ("a 1 2147483647\n", "label 2147483647"),
        ("a 1 2\na 1 2\n", "labelled twice"),
    ] {
        put("ali.ark", ali.as_bytes());
        let files = KaldiFiles {
            alignments: vec![folder.path().join("ali.ark")],
            ..files.clone()
        };
        let said = KaldiCorpus::open(&files).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    }
}
