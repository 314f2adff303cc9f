//! Gradient clipping by global norm on the CPU, like PyTorch's `clip_grad_norm_`.
//!
//! Squares are summed in f64, first within each task and then over tasks, always in the same order. The norm
//! is therefore reproducible to the bit. Without this, two runs with the same seed would diverge at the first
//! clipped step.

use rayon::prelude::*;

use super::task_size::ELEMENTS_PER_TASK;
use crate::simd::Real;

/// Added to the norm before dividing, as in PyTorch.
pub const EPSILON: f64 = 1e-6;

/// Scales the gradients down in place if their norm exceeds `most`.
pub fn global_norm<E: Real>(gradients: &mut [E], most: f64) {
    let squares: Vec<f64> = gradients
        .par_chunks(ELEMENTS_PER_TASK)
        .map(|part| part.iter().map(|value| value.to_f64().powi(2)).sum())
        .collect();
    let scale = most / (squares.iter().sum::<f64>().sqrt() + EPSILON);
    // NaN fails this comparison, so a NaN norm turns all gradients into NaN.
    let within_limit = scale >= 1.0;
    if !within_limit {
        gradients
            .par_chunks_mut(ELEMENTS_PER_TASK)
            .flatten()
            .for_each(|value| *value = E::from_f64(value.to_f64() * scale));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_only_above_the_limit() {
        let mut gradients = [3.0f64, -4.0];
        global_norm(&mut gradients, 5.1);
        assert_eq!(gradients, [3.0, -4.0]);
        global_norm(&mut gradients, 1.0);
        let norm = gradients[0].hypot(gradients[1]);
        assert!((norm - 1.0).abs() < 1e-6, "{norm}");
        let mut lost = [1.0f32, f32::NAN];
        global_norm(&mut lost, 5.0);
        assert!(lost.iter().all(|value| value.is_nan()));
    }
}
