//! Conversion between numbers and bytes.
//!
//! Mapped bytes are copied in fixed-size pieces instead of being reinterpreted in place. This compiles to vector moves,
//! needs no unsafe code, and is correct for any byte order and alignment.

use half::f16;
use half::slice::HalfFloatSliceExt;
use serde::{Deserialize, Serialize};

/// Number format.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// Two bytes: half the file size, three significant digits, values up to 65504.
    #[default]
    F16,
    /// Four bytes.
    F32,
}

impl Dtype {
    /// Size of a number in bytes.
    pub fn size(self) -> usize {
        match self {
            Dtype::F16 => 2,
            Dtype::F32 => 4,
        }
    }
}

/// Numbers converted at a time: small enough for the L1 cache.
const PIECE: usize = 512;

/// Appends numbers to `bytes`. Returns the index of the first number that is too large for the format.
pub(super) fn store(numbers: &[f32], dtype: Dtype, bytes: &mut Vec<u8>) -> Result<(), usize> {
    match dtype {
        Dtype::F32 => {
            let added = lengthen(bytes, 4 * numbers.len());
            for (bytes, number) in added.as_chunks_mut().0.iter_mut().zip(numbers) {
                *bytes = number.to_le_bytes();
            }
        }
        Dtype::F16 => {
            let added = lengthen(bytes, 2 * numbers.len());
            let mut halves = [f16::ZERO; PIECE];
            let pieces = added.chunks_mut(2 * PIECE).zip(numbers.chunks(PIECE));
            for (piece, (bytes, numbers)) in pieces.enumerate() {
                let halves = &mut halves[..numbers.len()];
                halves.convert_from_f32_slice(numbers);
                // Without an early exit, this compiles to vector operations.
                let overflow = halves
                    .iter()
                    .fold(false, |any, half| any | half.is_infinite());
                if overflow && let Some(place) = halves.iter().position(|half| half.is_infinite()) {
                    return Err(piece * PIECE + place);
                }
                for (bytes, half) in bytes.as_chunks_mut().0.iter_mut().zip(halves) {
                    *bytes = half.to_le_bytes();
                }
            }
        }
    }
    Ok(())
}

/// Appends zeros, and returns them.
fn lengthen(bytes: &mut Vec<u8>, by: usize) -> &mut [u8] {
    let before = bytes.len();
    bytes.resize(before + by, 0);
    &mut bytes[before..]
}

/// Reads as many numbers as fit. The caller has checked both lengths.
pub(super) fn load(bytes: &[u8], dtype: Dtype, numbers: &mut [f32]) {
    match dtype {
        Dtype::F32 => {
            for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks().0) {
                *number = f32::from_le_bytes(*bytes);
            }
        }
        Dtype::F16 => {
            let mut halves = [f16::ZERO; PIECE];
            for (numbers, bytes) in numbers.chunks_mut(PIECE).zip(bytes.chunks(PIECE * 2)) {
                let halves = &mut halves[..numbers.len()];
                for (half, bytes) in halves.iter_mut().zip(bytes.as_chunks().0) {
                    *half = f16::from_le_bytes(*bytes);
                }
                halves.convert_to_f32_slice(numbers);
            }
        }
    }
}

/// Reads as many labels as fit.
pub(super) fn load_labels(bytes: &[u8], labels: &mut [i32]) {
    for (label, bytes) in labels.iter_mut().zip(bytes.as_chunks().0) {
        *label = i32::from(u16::from_le_bytes(*bytes));
    }
}
