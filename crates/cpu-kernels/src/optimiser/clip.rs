//! Clipping by the norm of all gradients together, on the CPU, as PyTorch's `clip_grad_norm_` does.
//!
//! Squares are added in f64, those of each task in order and then the tasks' sums in order, so that the norm has the same bits
//! every time: where it has not, two runs of one seed part at the first step that is clipped.

use rayon::prelude::*;

use super::task_size::ELEMENTS_PER_TASK;
use crate::simd::Real;

/// Added to the norm, as PyTorch adds it.
pub const EPSILON: f64 = 1e-6;

/// Scales gradients down to a norm of at most `most`, in place.
pub fn global_norm<E: Real>(gradients: &mut [E], most: f64) {
    let squares: Vec<f64> = gradients
        .par_chunks(ELEMENTS_PER_TASK)
        .map(|part| part.iter().map(|value| value.to_f64().powi(2)).sum())
        .collect();
    let scale = most / (squares.iter().sum::<f64>().sqrt() + EPSILON);
    // What is not spared is scaled, so that a norm that is no number reaches all gradients.
    let spared = scale >= 1.0;
    if !spared {
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
    fn only_what_is_longer_is_shortened() {
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
