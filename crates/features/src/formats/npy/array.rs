//! One array file. Opening reads its shape; values are read on demand.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use half::f16;

use super::header::{self, Element, Header};
use crate::files::{FileError, open_regular};
use crate::labels::LARGEST_LABEL;

/// An array file of frames × dimensions.
#[derive(Clone, Debug)]
pub struct NpyArray {
    path: PathBuf,
    header: Header,
    rows: usize,
    cols: usize,
}

impl NpyArray {
    /// Reads the header, and checks that the size of the file matches it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let header = open(path)?.0;
        let Header { shape, element, .. } = &header;
        let &[rows, cols] = shape.as_slice() else {
            let reason =
                format!("array of shape {shape:?}: expected two axes, frames × dimensions");
            return Err(FileError::content(path, reason));
        };
        if element.kind != 'f' {
            let reason = "integer array: features must be float16, float32 or float64";
            return Err(FileError::content(path, reason));
        }
        let path = path.to_path_buf();
        Ok(NpyArray {
            path,
            header,
            rows,
            cols,
        })
    }

    /// Number of frames.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of dimensions.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Reads some frames into `features`, row by row. A value that is not finite is an error that names its position.
    pub fn read_rows(&self, rows: Range<usize>, features: &mut [f32]) -> Result<(), FileError> {
        if rows.start > rows.end || rows.end > self.rows {
            let reason = format!("rows {rows:?} requested, but the array has {}", self.rows);
            return Err(FileError::content(&self.path, reason));
        }
        let size = self.header.element.size;
        let (stored, stride, step) = if self.header.fortran_order {
            (0..self.rows, 1, self.rows)
        } else {
            (rows.clone(), self.cols, 1)
        };
        let from = self.header.data + (stored.start * self.cols * size) as u64;
        let mut bytes = vec![0; stored.len() * self.cols * size];
        let mut file = open_regular(&self.path)?;
        file.seek(SeekFrom::Start(from))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(FileError::io(&self.path))?;
        let wanted = rows.len() * self.cols;
        for (place, number) in features.iter_mut().take(wanted).enumerate() {
            let (row, column) = (rows.start + place / self.cols, place % self.cols);
            let at = (row - stored.start) * stride + column * step;
            let value = float(&bytes[at * size..][..size], self.header.element);
            *number = value as f32;
            if !number.is_finite() {
                let what = "features must be finite float32 numbers";
                let reason = format!("row {row}, column {column} is {value}: {what}");
                return Err(FileError::content(&self.path, reason));
            }
        }
        Ok(())
    }
}

/// Reads the labels in a file: an integer vector with one label per frame.
pub fn read_labels(path: impl AsRef<Path>) -> Result<Vec<i32>, FileError> {
    let path = path.as_ref();
    let (
        Header {
            shape,
            element,
            data,
            ..
        },
        mut file,
    ) = open(path)?;
    let [_] = shape[..] else {
        let reason = format!("array of shape {shape:?}: expected one axis, one label per frame");
        return Err(FileError::content(path, reason));
    };
    if element.kind == 'f' {
        let reason = "float array: labels must be integers";
        return Err(FileError::content(path, reason));
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(data))
        .and_then(|_| file.read_to_end(&mut bytes))
        .map_err(FileError::io(path))?;
    let values = bytes
        .chunks_exact(element.size)
        .map(|bytes| whole(bytes, element));
    (0..)
        .zip(values)
        .map(|(frame, value)| match i32::try_from(value) {
            Ok(label @ 0..=LARGEST_LABEL) => Ok(label),
            _ => {
                let range = format!("from 0 to {LARGEST_LABEL}");
                Err(no_label(path, frame, value, &range))
            }
        })
        .collect()
}

/// The error for a label outside `range`.
pub(super) fn no_label(path: &Path, frame: usize, value: i64, range: &str) -> FileError {
    let what = "labels must be integers";
    FileError::content(
        path,
        format!("frame {frame} has label {value}: {what} {range}"),
    )
}

/// Opens a file and reads its header. The size of the file must match the header.
fn open(path: &Path) -> Result<(Header, File), FileError> {
    let mut file = open_regular(path)?;
    let header = header::read(&mut file).map_err(|reason| FileError::content(path, reason))?;
    let found = file.metadata().map_err(FileError::io(path))?.len();
    let announced = header
        .shape
        .iter()
        .try_fold(header.element.size, |size, &n| size.checked_mul(n))
        .and_then(|size| (size as u64).checked_add(header.data));
    if announced != Some(found) {
        let needed = announced.map_or("too many".into(), |size| size.to_string());
        let shape = &header.shape;
        let reason = format!("{found} bytes, but an array of shape {shape:?} needs {needed}");
        return Err(FileError::content(path, reason));
    }
    Ok((header, file))
}

/// The bits of a number as the low bits of a u64.
fn bits(bytes: &[u8], element: Element) -> u64 {
    let mut lowest_first = [0; 8];
    lowest_first[..element.size].copy_from_slice(bytes);
    if element.big_endian {
        lowest_first[..element.size].reverse();
    }
    u64::from_le_bytes(lowest_first)
}

fn float(bytes: &[u8], element: Element) -> f64 {
    let bits = bits(bytes, element);
    match element.size {
        2 => f16::from_bits(bits as u16).to_f64(),
        4 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// An integer. An unsigned one that overflows i64 becomes i64::MAX, which is not a valid label either.
fn whole(bytes: &[u8], element: Element) -> i64 {
    let bits = bits(bytes, element);
    if element.kind != 'i' {
        return i64::try_from(bits).unwrap_or(i64::MAX);
    }
    // Extend the sign bit of the stored size.
    let unused = 64 - 8 * element.size as u32;
    (bits << unused) as i64 >> unused
}
