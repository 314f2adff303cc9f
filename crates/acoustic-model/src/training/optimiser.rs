//! From an optimiser's settings to one of its steps: Adam (Kingma and Ba, 2015) and ADADELTA (Zeiler, 2012), with PyTorch's formulas,
//! so that a run here and a run there take the same steps.

use padwise_model_config::OptimiserConfig;

use crate::kernels::optimiser::{AdadeltaStep, AdamStep, UpdateRule};

/// Step number `step` (from 1) with the learning rate scaled by `rate`.
pub fn rule(config: &OptimiserConfig, rate: f64, step: u64) -> UpdateRule {
    match *config {
        OptimiserConfig::Adam {
            learning_rate,
            beta1,
            beta2,
            epsilon,
        } => UpdateRule::Adam(AdamStep::new(
            learning_rate * rate,
            beta1,
            beta2,
            epsilon,
            step,
        )),
        OptimiserConfig::Adadelta {
            learning_rate,
            rho,
            epsilon,
        } => UpdateRule::Adadelta(AdadeltaStep {
            learning_rate: learning_rate * rate,
            rho,
            epsilon,
        }),
    }
}
