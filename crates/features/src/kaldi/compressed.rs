//! Kaldi's compressed matrices.
//!
//! All three begin with the smallest value and the range. `CM2` and `CM3` divide that range evenly into 16 and 8 bits.
//! `CM` stores, for each column, four 16-bit quartiles of the column within that range, and 8 bits a value that are
//! linear between them, more finely in the middle than at the ends.

/// The three forms, by their tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Quartiles,
    TwoBytes,
    OneByte,
}

/// The smallest value and the range of a compressed matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    pub min: f32,
    pub range: f32,
}

impl Scale {
    fn of_16_bits(self, value: u16) -> f32 {
        self.min + self.range * (1.0 / 65535.0) * f32::from(value)
    }

    fn of_8_bits(self, value: u8) -> f32 {
        self.min + self.range * (1.0 / 255.0) * f32::from(value)
    }
}

impl Compression {
    /// The bytes after the header; none where that is no number.
    pub fn size(self, rows: u64, cols: u64) -> Option<u64> {
        let values = rows.checked_mul(cols)?;
        match self {
            Compression::Quartiles => cols.checked_mul(8)?.checked_add(values),
            Compression::TwoBytes => values.checked_mul(2),
            Compression::OneByte => Some(values),
        }
    }

    /// The values, row by row, of bytes that are as many as [`Compression::size`] says.
    pub fn expand(self, scale: Scale, bytes: &[u8], rows: usize, cols: usize) -> Vec<f32> {
        match self {
            Compression::TwoBytes => {
                let values = bytes.as_chunks().0.iter();
                values
                    .map(|value| scale.of_16_bits(u16::from_le_bytes(*value)))
                    .collect()
            }
            Compression::OneByte => bytes.iter().map(|&value| scale.of_8_bits(value)).collect(),
            Compression::Quartiles => {
                let (quartiles, values) = bytes.split_at(bytes.len().min(cols * 8));
                let mut numbers = vec![0.0; rows * cols];
                let columns = values.chunks_exact(rows.max(1));
                for (column, (quartiles, values)) in
                    quartiles.as_chunks::<8>().0.iter().zip(columns).enumerate()
                {
                    let at = |n: usize| {
                        scale.of_16_bits(u16::from_le_bytes([
                            quartiles[2 * n],
                            quartiles[2 * n + 1],
                        ]))
                    };
                    let quartiles = [at(0), at(1), at(2), at(3)];
                    let places = numbers.iter_mut().skip(column).step_by(cols);
                    for (number, &value) in places.zip(values) {
                        *number = between(quartiles, value);
                    }
                }
                numbers
            }
        }
    }
}

/// The value of 8 bits between the minimum, the quartiles and the maximum of a column: 64 steps below the first
/// quartile, 128 between the quartiles, 63 above the third.
fn between([lowest, first, third, highest]: [f32; 4], value: u8) -> f32 {
    let step = f32::from(value);
    match value {
        0..=64 => lowest + (first - lowest) * step * (1.0 / 64.0),
        65..=192 => first + (third - first) * (step - 64.0) * (1.0 / 128.0),
        _ => third + (highest - third) * (step - 192.0) * (1.0 / 63.0),
    }
}
