//! ADADELTA, Zeiler, "ADADELTA: An Adaptive Learning Rate Method" (2012).

use rayon::prelude::*;

use crate::ELEMENTS_PER_TASK;
use crate::simd::{Arch, Lanes, Real, Simd, WithSimd};

/// One step of ADADELTA.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdadeltaStep {
    /// Scale of its own step.
    pub learning_rate: f64,
    /// Decay of both running squares.
    pub rho: f64,
    /// Added under both roots.
    pub epsilon: f64,
}

/// Takes one step, in place. `mean_square` (of the gradients) and `mean_square_update` start at zero.
///
/// # Panics
/// If the slices differ in length.
pub fn update<E: Real>(
    step: AdadeltaStep,
    parameters: &mut [E],
    gradient: &[E],
    mean_square: &mut [E],
    mean_square_update: &mut [E],
) {
    let others = [gradient.len(), mean_square.len(), mean_square_update.len()];
    assert_eq!(others, [parameters.len(); 3], "lengths");
    let factors = [step.rho, 1.0 - step.rho, step.epsilon, -step.learning_rate].map(E::from_f64);
    let arch = Arch::new();
    parameters
        .par_chunks_mut(ELEMENTS_PER_TASK)
        .zip(gradient.par_chunks(ELEMENTS_PER_TASK))
        .zip(mean_square.par_chunks_mut(ELEMENTS_PER_TASK))
        .zip(mean_square_update.par_chunks_mut(ELEMENTS_PER_TASK))
        .for_each(
            |(((parameters, gradient), mean_square), mean_square_update)| {
                arch.dispatch(Pass {
                    factors,
                    parameters,
                    gradient,
                    mean_square,
                    mean_square_update,
                });
            },
        );
}

struct Pass<'a, E> {
    factors: [E; 4],
    parameters: &'a mut [E],
    gradient: &'a [E],
    mean_square: &'a mut [E],
    mean_square_update: &'a mut [E],
}

impl<E: Real> WithSimd for Pass<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let [decay, weight, epsilon, step_size] = self
            .factors
            .map(|factor| Lanes::<E, S>::splat(simd, factor));
        let lanes = E::lanes::<S>();
        let parts = self
            .parameters
            .chunks_mut(lanes)
            .zip(self.gradient.chunks(lanes));
        for (((parameters, gradient), mean_square), mean_square_update) in parts
            .zip(self.mean_square.chunks_mut(lanes))
            .zip(self.mean_square_update.chunks_mut(lanes))
        {
            let grad = Lanes::load(simd, gradient);
            let new_square = (weight * grad).mul_add(grad, Lanes::load(simd, mean_square) * decay);
            let old_update = Lanes::load(simd, mean_square_update);
            let update = (old_update + epsilon).sqrt() / (new_square + epsilon).sqrt() * grad;
            new_square.store(mean_square);
            (weight * update)
                .mul_add(update, old_update * decay)
                .store(mean_square_update);
            step_size
                .mul_add(update, Lanes::load(simd, parameters))
                .store(parameters);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_formula() {
        let settings = AdadeltaStep {
            learning_rate: 0.5,
            rho: 0.95,
            epsilon: 1e-6,
        };
        let count = 2 * ELEMENTS_PER_TASK + 3;
        let start: Vec<f64> = (0..count).map(|i| (i % 89) as f64 * 0.01).collect();
        let mut expected = start.iter().map(|x| (*x, 0.0, 0.0)).collect::<Vec<_>>();
        let (mut parameters, mut square, mut steps) = (start, vec![0.0; count], vec![0.0; count]);
        for step in 1..=4 {
            let gradient: Vec<f64> = (0..count)
                .map(|i| ((i * 29 + step * 13) % 61) as f64 * 0.02 - 0.6)
                .collect();
            update(
                settings,
                &mut parameters,
                &gradient,
                &mut square,
                &mut steps,
            );
            for ((p, s, u), g) in expected.iter_mut().zip(&gradient) {
                *s = 0.95 * *s + 0.05 * g * g;
                let delta = (*u + 1e-6f64).sqrt() / (*s + 1e-6f64).sqrt() * g;
                *u = 0.95 * *u + 0.05 * delta * delta;
                *p -= 0.5 * delta;
            }
        }
        for (value, (expected, ..)) in parameters.iter().zip(&expected) {
            assert!((value - expected).abs() < 1e-13, "{value} for {expected}");
        }
    }
}
