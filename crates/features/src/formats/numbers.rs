//! Numbers to bytes and back, for the formats that store plain numbers.
//!
//! The mapped bytes are never looked at as numbers in place: copying them through fixed-size pieces compiles to plain
//! vector moves, needs no unsafe code and is right on any machine's byte order and alignment.

use half::f16;
use half::slice::HalfFloatSliceExt;
use serde::{Deserialize, Serialize};

/// How a number is stored.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// Two bytes: half the file, three significant digits, no number over 65504.
    #[default]
    F16,
    /// Four bytes.
    F32,
}

impl Dtype {
    /// The bytes of one number.
    pub fn size(self) -> usize {
        match self {
            Dtype::F16 => 2,
            Dtype::F32 => 4,
        }
    }
}

/// Numbers converted at a time: small enough to stay in the first cache level.
const PIECE: usize = 512;

/// Stores numbers; a number too large for the type is given back with its place.
pub(super) fn store(numbers: &[f32], dtype: Dtype, bytes: &mut Vec<u8>) -> Result<(), usize> {
    match dtype {
        Dtype::F32 => bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes())),
        Dtype::F16 => {
            for (place, &number) in numbers.iter().enumerate() {
                let half = f16::from_f32(number);
                if half.is_infinite() {
                    return Err(place);
                }
                bytes.extend(half.to_le_bytes());
            }
        }
    }
    Ok(())
}

/// Reads as many numbers as there is room for; both sides have been measured by the caller.
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

/// Reads as many labels as there is room for.
pub(super) fn load_labels(bytes: &[u8], labels: &mut [i32]) {
    for (label, bytes) in labels.iter_mut().zip(bytes.as_chunks().0) {
        *label = i32::from(u16::from_le_bytes(*bytes));
    }
}
