//! One array file: its shape now, its numbers when they are asked for.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use half::f16;

use super::NpyError;
use super::header::{self, Element, Header};

/// An array of frames by dimensions in a file.
#[derive(Clone, Debug)]
pub struct NpyArray {
    path: PathBuf,
    header: Header,
    rows: usize,
    cols: usize,
}

impl NpyArray {
    /// Reads the header, and checks that the file holds exactly the numbers it announces.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, NpyError> {
        let path = path.as_ref();
        let header = open(path)?.0;
        let &[rows, cols] = header.shape.as_slice() else {
            return Err(NpyError::malformed(
                path,
                format!(
                    "an array of shape {:?}: it must be frames by dimensions",
                    header.shape
                ),
            ));
        };
        if header.element.kind != 'f' {
            return Err(NpyError::malformed(
                path,
                "whole numbers: features must be float16, float32 or float64",
            ));
        }
        Ok(NpyArray {
            path: path.to_path_buf(),
            header,
            rows,
            cols,
        })
    }

    /// The number of frames.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of dimensions.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Reads some frames into `features`, row by row. A number that is not finite is an error that names its place.
    pub fn read_rows(&self, rows: Range<usize>, features: &mut [f32]) -> Result<(), NpyError> {
        let size = self.header.element.size;
        let (stored, stride, step) = if self.header.fortran_order {
            (0..self.rows, 1, self.rows)
        } else {
            (rows.clone(), self.cols, 1)
        };
        let from = self.header.data + (stored.start * self.cols * size) as u64;
        let mut bytes = vec![0; stored.len() * self.cols * size];
        let mut file = File::open(&self.path).map_err(NpyError::io(&self.path))?;
        file.seek(SeekFrom::Start(from))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(NpyError::io(&self.path))?;
        let wanted = rows.len() * self.cols;
        for (place, number) in features.iter_mut().take(wanted).enumerate() {
            let (row, column) = (rows.start + place / self.cols, place % self.cols);
            let at = (row - stored.start) * stride + column * step;
            let value = float(&bytes[at * size..][..size], self.header.element);
            *number = value as f32;
            if !number.is_finite() {
                return Err(NpyError::NotFinite {
                    path: self.path.clone(),
                    row,
                    column,
                    value,
                });
            }
        }
        Ok(())
    }
}

/// The labels in a file: a vector of whole numbers, one a frame.
pub fn read_labels(path: impl AsRef<Path>) -> Result<Vec<i32>, NpyError> {
    let path = path.as_ref();
    let (header, mut file) = open(path)?;
    let [_] = header.shape[..] else {
        return Err(NpyError::malformed(
            path,
            format!(
                "an array of shape {:?}: labels must be one a frame",
                header.shape
            ),
        ));
    };
    if header.element.kind == 'f' {
        let reason = "floating numbers: labels must be of a whole-number type";
        return Err(NpyError::malformed(path, reason));
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(header.data))
        .and_then(|_| file.read_to_end(&mut bytes))
        .map_err(NpyError::io(path))?;
    bytes
        .chunks_exact(header.element.size)
        .map(|bytes| whole(bytes, header.element))
        .enumerate()
        .map(|(frame, value)| {
            i32::try_from(value)
                .ok()
                .filter(|&label| label >= 0)
                .ok_or_else(|| NpyError::Label {
                    path: path.to_path_buf(),
                    frame,
                    value,
                    range: format!("from 0 to {}", i32::MAX),
                })
        })
        .collect()
}

/// The header of a file that is exactly as long as that announces.
fn open(path: &Path) -> Result<(Header, File), NpyError> {
    let mut file = File::open(path).map_err(NpyError::io(path))?;
    let header = header::read(&mut file).map_err(|reason| NpyError::malformed(path, reason))?;
    let found = file.metadata().map_err(NpyError::io(path))?.len();
    let announced = header
        .shape
        .iter()
        .try_fold(header.element.size, |size, &n| size.checked_mul(n))
        .and_then(|size| (size as u64).checked_add(header.data));
    if announced != Some(found) {
        return Err(NpyError::malformed(
            path,
            format!(
                "{found} bytes where an array of shape {:?} needs {}",
                header.shape,
                announced.map_or("more than there can be".into(), |size| size.to_string())
            ),
        ));
    }
    Ok((header, file))
}

/// The bytes of a number in the machine-independent order: lowest first, in the low end of eight.
fn lowest_first(bytes: &[u8], element: Element) -> [u8; 8] {
    let mut ordered = [0; 8];
    for (place, byte) in ordered.iter_mut().zip(bytes) {
        *place = *byte;
    }
    if element.big_endian {
        ordered[..element.size].reverse();
    }
    ordered
}

fn float(bytes: &[u8], element: Element) -> f64 {
    let bits = u64::from_le_bytes(lowest_first(bytes, element));
    match element.size {
        2 => f16::from_bits(bits as u16).to_f64(),
        4 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// A whole number; an unsigned one too large for the type becomes the largest, which is no label either.
fn whole(bytes: &[u8], element: Element) -> i64 {
    let bits = u64::from_le_bytes(lowest_first(bytes, element));
    if element.kind != 'i' {
        return i64::try_from(bits).unwrap_or(i64::MAX);
    }
    match element.size {
        1 => i64::from(bits as u8 as i8),
        2 => i64::from(bits as u16 as i16),
        4 => i64::from(bits as u32 as i32),
        _ => bits as i64,
    }
}
