//! Optimiser steps from settings: Adam (Kingma and Ba, 2015) and ADADELTA (Zeiler, 2012).
//!
//! The formulas are PyTorch's, so runs here and in PyTorch take the same steps.

use padwise_model_config::OptimiserConfig;

use crate::kernels::optimiser::{AdadeltaStep, AdamStep, UpdateRule};

/// Step number `step` (counted from 1), with the learning rate multiplied by `rate`.
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
