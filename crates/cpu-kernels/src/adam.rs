//! Adam, Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015).

use rayon::prelude::*;

use crate::ELEMENTS_PER_TASK;
use crate::simd::{Arch, Lanes, Real, Simd, WithSimd};

/// One step of Adam, its bias corrections worked out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamStep {
    /// Decay of the running mean.
    pub beta1: f64,
    /// Decay of the running square.
    pub beta2: f64,
    /// Added to the root of the corrected running square.
    pub epsilon: f64,
    /// The learning rate over the mean's bias correction.
    pub step_size: f64,
    /// One over the root of the square's bias correction.
    pub root_correction: f64,
}

impl AdamStep {
    /// Step number `step`, from 1.
    pub fn new(learning_rate: f64, beta1: f64, beta2: f64, epsilon: f64, step: u64) -> Self {
        let exponent = step as f64;
        Self {
            beta1,
            beta2,
            epsilon,
            step_size: learning_rate / (1.0 - beta1.powf(exponent)),
            root_correction: 1.0 / (1.0 - beta2.powf(exponent)).sqrt(),
        }
    }
}

/// Takes one step, in place. `mean` and `mean_square` start at zero.
///
/// # Panics
/// If the slices differ in length.
pub fn update<E: Real>(
    step: AdamStep,
    parameters: &mut [E],
    gradient: &[E],
    mean: &mut [E],
    mean_square: &mut [E],
) {
    assert_eq!(
        [gradient.len(), mean.len(), mean_square.len()],
        [parameters.len(); 3],
        "lengths"
    );
    let factors = [
        1.0 - step.beta1,
        step.beta2,
        1.0 - step.beta2,
        step.root_correction,
        step.epsilon,
        -step.step_size,
    ]
    .map(E::from_f64);
    let arch = Arch::new();
    parameters
        .par_chunks_mut(ELEMENTS_PER_TASK)
        .zip(gradient.par_chunks(ELEMENTS_PER_TASK))
        .zip(mean.par_chunks_mut(ELEMENTS_PER_TASK))
        .zip(mean_square.par_chunks_mut(ELEMENTS_PER_TASK))
        .for_each(|(((parameters, gradient), mean), mean_square)| {
            arch.dispatch(Pass {
                factors,
                parameters,
                gradient,
                mean,
                mean_square,
            });
        });
}

struct Pass<'a, E> {
    factors: [E; 6],
    parameters: &'a mut [E],
    gradient: &'a [E],
    mean: &'a mut [E],
    mean_square: &'a mut [E],
}

impl<E: Real> WithSimd for Pass<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let [
            mean_weight,
            decay,
            square_weight,
            correction,
            epsilon,
            step_size,
        ] = self
            .factors
            .map(|factor| Lanes::<E, S>::splat(simd, factor));
        let lanes = E::lanes::<S>();
        let parts = self
            .parameters
            .chunks_mut(lanes)
            .zip(self.gradient.chunks(lanes));
        for (((parameters, gradient), mean), mean_square) in parts
            .zip(self.mean.chunks_mut(lanes))
            .zip(self.mean_square.chunks_mut(lanes))
        {
            let grad = Lanes::load(simd, gradient);
            let old_mean = Lanes::load(simd, mean);
            let new_mean = mean_weight.mul_add(grad - old_mean, old_mean);
            let new_square =
                (square_weight * grad).mul_add(grad, Lanes::load(simd, mean_square) * decay);
            let divisor = new_square.sqrt() * correction + epsilon;
            new_mean.store(mean);
            new_square.store(mean_square);
            (Lanes::load(simd, parameters) + step_size * new_mean / divisor).store(parameters);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_formula() {
        let count = 3 * ELEMENTS_PER_TASK + 5;
        let start: Vec<f64> = (0..count).map(|i| (i % 97) as f64 * 0.01).collect();
        let mut expected = start.iter().map(|x| (*x, 0.0, 0.0)).collect::<Vec<_>>();
        let (mut parameters, mut mean, mut mean_square) =
            (start, vec![0.0; count], vec![0.0; count]);
        for step in 1..=4u64 {
            let gradient: Vec<f64> = (0..count)
                .map(|i| ((i * 31 + step as usize * 17) % 53) as f64 * 0.02 - 0.5)
                .collect();
            update(
                AdamStep::new(0.01, 0.9, 0.999, 1e-8, step),
                &mut parameters,
                &gradient,
                &mut mean,
                &mut mean_square,
            );
            for ((p, m, v), g) in expected.iter_mut().zip(&gradient) {
                *m = 0.9 * *m + 0.1 * g;
                *v = 0.999 * *v + 0.001 * g * g;
                let (m_hat, v_hat) = (
                    *m / (1.0 - 0.9f64.powi(step as i32)),
                    *v / (1.0 - 0.999f64.powi(step as i32)),
                );
                *p -= 0.01 * m_hat / (v_hat.sqrt() + 1e-8);
            }
        }
        for (value, (expected, ..)) in parameters.iter().zip(&expected) {
            assert!((value - expected).abs() < 1e-13, "{value} for {expected}");
        }
    }
}
