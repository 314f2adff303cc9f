//! Helpers for the front-end tests.

use std::io::Write;
use std::path::{Path, PathBuf};

use padwise_features::Matrix;

/// Folder of the committed golden files.
pub fn goldens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/front_end")
}

/// Folder of real speech; `None`, with a message, if it is missing.
pub fn data(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("PADWISE_DATA")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"));
    if folder.join("golden_features").is_dir() && folder.join("librispeech/audio").is_dir() {
        return Some(folder);
    }
    // Written directly to stderr, because the test harness captures the print macros.
    let _ = writeln!(
        std::io::stderr(),
        "SKIPPED {test}: no golden_features and librispeech/audio in {} (set PADWISE_DATA)",
        folder.display()
    );
    None
}

/// Finds the FLAC file of an utterance below `folder`.
pub fn find_flac(folder: &Path, id: &str) -> Option<PathBuf> {
    let mut entries: Vec<_> = folder
        .read_dir()
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    entries.sort();
    entries.into_iter().find_map(|path| {
        if path.is_dir() {
            find_flac(&path, id)
        } else {
            (path.file_name()? == format!("{id}.flac").as_str()).then_some(path)
        }
    })
}

/// Reads a two-dimensional array of little-endian floats as NumPy stores it.
pub fn read_npy(path: &Path) -> Matrix {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00", "{}", path.display());
    let header_end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..header_end]).expect("a header of text");
    assert!(header.contains("'descr': '<f4'"));
    let shape = &header[header.find('(').expect("a shape") + 1..header.find(')').expect("a shape")];
    let shape: Vec<usize> = shape
        .split(',')
        .map(|n| n.trim().parse().expect("a number"))
        .collect();
    let (values, rest) = bytes[header_end..].as_chunks::<4>();
    assert!(rest.is_empty() && values.len() == shape[0] * shape[1]);
    let mut values: Vec<f32> = values.iter().map(|&v| f32::from_le_bytes(v)).collect();
    if header.contains("'fortran_order': True") {
        let (rows, cols) = (shape[0], shape[1]);
        let stored = values.clone();
        for (i, value) in values.iter_mut().enumerate() {
            *value = stored[i % cols * rows + i / cols];
        }
    }
    Matrix::from_rows(shape[1], values)
}

/// The largest difference between two matrices of the same shape.
pub fn largest_difference(ours: &Matrix, theirs: &Matrix) -> f32 {
    assert_eq!((ours.rows(), ours.cols()), (theirs.rows(), theirs.cols()));
    let pairs = ours.as_slice().iter().zip(theirs.as_slice());
    pairs.fold(0.0, |largest, (a, b)| {
        let difference = (a - b).abs();
        assert!(difference.is_finite());
        difference.max(largest)
    })
}
