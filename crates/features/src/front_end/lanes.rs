//! Sums of floats in eight lanes.
//!
//! Floating-point addition is not associative, so the compiler cannot vectorise a plain sum. Eight partial sums
//! vectorise, and are more accurate.

const LANES: usize = 8;

fn total(lanes: [f32; LANES]) -> f32 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

pub(super) fn sum(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for (lane, v) in lanes.iter_mut().zip(chunk) {
            *lane += v;
        }
    }
    total(lanes) + rest.iter().sum::<f32>()
}

pub(super) fn sum_of_squares(values: &[f32]) -> f32 {
    dot(values, values)
}

/// Dot product over the length of the shorter slice.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let length = a.len().min(b.len());
    let (a, a_rest) = a[..length].as_chunks::<LANES>();
    let (b, b_rest) = b[..length].as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    total(lanes) + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}
