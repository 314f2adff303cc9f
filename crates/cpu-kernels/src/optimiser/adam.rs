//! Adam: Kingma and Ba, "Adam: A Method for Stochastic Optimization" (2015).

use super::rule::Rule;
use crate::simd::{Lanes, Real, Simd};

/// One Adam step, with the bias corrections already computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamStep {
    /// Decay of the running average of gradients.
    pub beta1: f64,
    /// Decay of the running average of squared gradients.
    pub beta2: f64,
    /// Added to the square root of the corrected average of squared gradients.
    pub epsilon: f64,
    /// The learning rate divided by the bias correction of the gradient average.
    pub step_size: f64,
    /// One over the square root of the bias correction of the squared-gradient average.
    pub root_correction: f64,
}

impl AdamStep {
    /// Prepares step number `step`, counted from 1.
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

impl Rule<6> for AdamStep {
    fn factors(self) -> [f64; 6] {
        [
            1.0 - self.beta1,
            self.beta2,
            1.0 - self.beta2,
            self.root_correction,
            self.epsilon,
            -self.step_size,
        ]
    }

    #[inline(always)]
    fn moved<E: Real, S: Simd>(
        factors: [Lanes<E, S>; 6],
        gradient: Lanes<E, S>,
        [parameters, mean, square]: [Lanes<E, S>; 3],
    ) -> [Lanes<E, S>; 3] {
        let [
            mean_weight,
            decay,
            square_weight,
            correction,
            epsilon,
            step_size,
        ] = factors;
        let mean = mean_weight.mul_add(gradient - mean, mean);
        let square = (square_weight * gradient).mul_add(gradient, square * decay);
        let divisor = square.sqrt() * correction + epsilon;
        [parameters + step_size * mean / divisor, mean, square]
    }
}

#[cfg(test)]
mod tests {
    use super::super::{UpdateRule, update};
    use super::*;
    use crate::optimiser::task_size::ELEMENTS_PER_TASK;

    #[test]
    fn follows_the_formula() {
        let tasks = if cfg!(miri) { 0 } else { 3 };
        let count = tasks * ELEMENTS_PER_TASK + 5;
        let start: Vec<f64> = (0..count).map(|i| (i % 97) as f64 * 0.01).collect();
        let mut expected = start.iter().map(|x| (*x, 0.0, 0.0)).collect::<Vec<_>>();
        let (mut parameters, mut mean, mut mean_square) =
            (start, vec![0.0; count], vec![0.0; count]);
        for step in 1..=4u64 {
            let gradient: Vec<f64> = (0..count)
                .map(|i| ((i * 31 + step as usize * 17) % 53) as f64 * 0.02 - 0.5)
                .collect();
            update(
                UpdateRule::Adam(AdamStep::new(0.01, 0.9, 0.999, 1e-8, step)),
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
