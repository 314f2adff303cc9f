//! Number formats of Kaldi's binary matrices.
//!
//! The three compressed formats start with the minimum and the range of the values. `CM2` and `CM3` quantise that range
//! uniformly to 16 and 8 bits. `CM` stores four 16-bit quantiles per column and 8 bits per value. The 8-bit scale is
//! piecewise linear between the quantiles, with finer steps in the middle than at the ends.

/// A number format of binary matrices, by its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `FM`
    Float,
    /// `DM`
    Double,
    /// `CM`
    Quartiles,
    /// `CM2`
    TwoBytes,
    /// `CM3`
    OneByte,
}

/// Minimum and range of a compressed matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Scale {
    pub min: f32,
    pub range: f32,
}

impl Scale {
    fn of_16_bits(self, bytes: [u8; 2]) -> f32 {
        self.min + self.range * (1.0 / 65535.0) * f32::from(u16::from_le_bytes(bytes))
    }

    fn of_8_bits(self, value: u8) -> f32 {
        self.min + self.range * (1.0 / 255.0) * f32::from(value)
    }
}

impl Form {
    pub fn from_token(token: &[u8]) -> Option<Self> {
        Some(match token {
            b"FM" => Form::Float,
            b"DM" => Form::Double,
            b"CM" => Form::Quartiles,
            b"CM2" => Form::TwoBytes,
            b"CM3" => Form::OneByte,
            _ => return None,
        })
    }

    pub fn is_compressed(self) -> bool {
        !matches!(self, Form::Float | Form::Double)
    }

    /// Number of bytes after the header; `None` on overflow.
    pub fn size(self, rows: usize, cols: usize) -> Option<u64> {
        let (rows, cols) = (rows as u64, cols as u64);
        let values = rows.checked_mul(cols)?;
        match self {
            Form::Float => values.checked_mul(4),
            Form::Double => values.checked_mul(8),
            Form::Quartiles => cols.checked_mul(8)?.checked_add(values),
            Form::TwoBytes => values.checked_mul(2),
            Form::OneByte => Some(values),
        }
    }

    /// Decodes values, row by row. `bytes` has the length returned by [`Form::size`].
    pub fn expand(self, scale: Scale, bytes: &[u8], rows: usize, cols: usize) -> Vec<f32> {
        match self {
            Form::Float => numbers(bytes, f32::from_le_bytes),
            Form::Double => numbers(bytes, |number| f64::from_le_bytes(number) as f32),
            Form::TwoBytes => numbers(bytes, |number| scale.of_16_bits(number)),
            Form::OneByte => numbers(bytes, |[number]| scale.of_8_bits(number)),
            Form::Quartiles => {
                let (quartiles, values) = bytes.split_at(bytes.len().min(cols * 8));
                let mut numbers = vec![0.0; rows * cols];
                let columns = values.chunks_exact(rows.max(1));
                for (column, (quartiles, values)) in
                    quartiles.as_chunks::<8>().0.iter().zip(columns).enumerate()
                {
                    let [a, b, c, d, e, f, g, h] = *quartiles;
                    let quartiles = [[a, b], [c, d], [e, f], [g, h]].map(|q| scale.of_16_bits(q));
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

fn numbers<const SIZE: usize>(bytes: &[u8], number: impl Fn([u8; SIZE]) -> f32) -> Vec<f32> {
    let chunks = bytes.as_chunks().0.iter();
    chunks.map(|&bytes| number(bytes)).collect()
}

/// Decodes an 8-bit value between the quantiles of a column: 64 steps from the minimum to the first quartile, 128 to the
/// third quartile, 63 to the maximum.
fn between([lowest, first, third, highest]: [f32; 4], value: u8) -> f32 {
    let step = f32::from(value);
    match value {
        0..=64 => lowest + (first - lowest) * step * (1.0 / 64.0),
        65..=192 => first + (third - first) * (step - 64.0) * (1.0 / 128.0),
        _ => third + (highest - third) * (step - 192.0) * (1.0 / 63.0),
    }
}
