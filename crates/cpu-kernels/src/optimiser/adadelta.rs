//! ADADELTA: Zeiler, "ADADELTA: An Adaptive Learning Rate Method" (2012).

use super::rule::Rule;
use crate::simd::{Lanes, Real, Simd};

/// One ADADELTA step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdadeltaStep {
    /// Scale of the step; 1 in the paper.
    pub learning_rate: f64,
    /// Decay of the running averages of squared gradients and squared steps.
    pub rho: f64,
    /// Added to both running averages before taking their square roots.
    pub epsilon: f64,
}

impl Rule<4> for AdadeltaStep {
    fn factors(self) -> [f64; 4] {
        [self.rho, 1.0 - self.rho, self.epsilon, -self.learning_rate]
    }

    #[inline(always)]
    fn moved<E: Real, S: Simd>(
        [decay, weight, epsilon, step_size]: [Lanes<E, S>; 4],
        gradient: Lanes<E, S>,
        [parameters, square, square_update]: [Lanes<E, S>; 3],
    ) -> [Lanes<E, S>; 3] {
        let square = (weight * gradient).mul_add(gradient, square * decay);
        let update = (square_update + epsilon).sqrt() / (square + epsilon).sqrt() * gradient;
        let square_update = (weight * update).mul_add(update, square_update * decay);
        [step_size.mul_add(update, parameters), square, square_update]
    }
}

#[cfg(test)]
mod tests {
    use super::super::{UpdateRule, update};
    use super::*;
    use crate::optimiser::task_size::ELEMENTS_PER_TASK;

    #[test]
    fn follows_the_formula() {
        let settings = AdadeltaStep {
            learning_rate: 0.5,
            rho: 0.95,
            epsilon: 1e-6,
        };
        let tasks = if cfg!(miri) { 0 } else { 2 };
        let count = tasks * ELEMENTS_PER_TASK + 3;
        let start: Vec<f64> = (0..count).map(|i| (i % 89) as f64 * 0.01).collect();
        let mut expected = start.iter().map(|x| (*x, 0.0, 0.0)).collect::<Vec<_>>();
        let (mut parameters, mut square, mut steps) = (start, vec![0.0; count], vec![0.0; count]);
        for step in 1..=4 {
            let gradient: Vec<f64> = (0..count)
                .map(|i| ((i * 29 + step * 13) % 61) as f64 * 0.02 - 0.6)
                .collect();
            update(
                UpdateRule::Adadelta(settings),
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
