//! Optimisers over one flat vector of all parameters: Adam (Kingma and Ba, 2015) and ADADELTA (Zeiler, 2012), with PyTorch's
//! formulas, so that a run here and a run there descend the same way.
//!
//! One vector means one pass over memory a step, whatever the number of layers, and a global gradient norm in one sum.

use burn::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{KernelBackend, ModelError};

pub(crate) mod adadelta;
pub(crate) mod adam;
mod schedule;

#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(crate) mod clip;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(crate) mod cube;

pub use padwise_cpu_kernels::{AdadeltaStep, AdamStep};
pub use schedule::Schedule;

/// Which optimiser, with its settings; PyTorch's defaults.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum OptimiserConfig {
    /// Adam.
    Adam {
        /// Step size.
        #[serde(default = "adam::default_learning_rate")]
        learning_rate: f64,
        /// Decay of the running mean.
        #[serde(default = "adam::default_beta1")]
        beta1: f64,
        /// Decay of the running square.
        #[serde(default = "adam::default_beta2")]
        beta2: f64,
        /// Added to the root of the running square.
        #[serde(default = "adam::default_epsilon")]
        epsilon: f64,
    },
    /// ADADELTA.
    Adadelta {
        /// Scale of its own step; 1 in the paper.
        #[serde(default = "adadelta::default_learning_rate")]
        learning_rate: f64,
        /// Decay of both running squares.
        #[serde(default = "adadelta::default_rho")]
        rho: f64,
        /// Added under both roots.
        #[serde(default = "adadelta::default_epsilon")]
        epsilon: f64,
    },
}

impl Default for OptimiserConfig {
    fn default() -> Self {
        Self::Adam {
            learning_rate: adam::default_learning_rate(),
            beta1: adam::default_beta1(),
            beta2: adam::default_beta2(),
            epsilon: adam::default_epsilon(),
        }
    }
}

impl OptimiserConfig {
    /// Whether the settings make an optimiser.
    pub fn validate(&self) -> Result<(), ModelError> {
        let (rate, decays, epsilon): (f64, [(&'static str, f64); 2], f64) = match *self {
            Self::Adam {
                learning_rate,
                beta1,
                beta2,
                epsilon,
            } => (learning_rate, [("beta1", beta1), ("beta2", beta2)], epsilon),
            Self::Adadelta {
                learning_rate,
                rho,
                epsilon,
            } => (learning_rate, [("rho", rho), ("rho", rho)], epsilon),
        };
        let setting = |setting, value: f64, remedy| {
            Err(ModelError::Setting {
                setting,
                value: value.to_string(),
                remedy,
            })
        };
        if !(rate > 0.0 && rate.is_finite()) {
            return setting("learning_rate", rate, "give a number above 0");
        }
        for (name, decay) in decays {
            if !(0.0..1.0).contains(&decay) {
                return setting(name, decay, "give a decay from 0 up to but not including 1");
            }
        }
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            return setting("epsilon", epsilon, "give a small number above 0");
        }
        Ok(())
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Adam { .. } => "Adam",
            Self::Adadelta { .. } => "ADADELTA",
        }
    }
}

/// The two running averages of either optimiser, each as long as the parameters: Adam's mean and square, or ADADELTA's
/// square of gradients and square of steps.
#[derive(Debug, Clone)]
pub struct Moments<B: Backend> {
    /// Adam's mean; ADADELTA's squared gradients.
    pub first: Tensor<B, 1>,
    /// Adam's squared gradients; ADADELTA's squared steps.
    pub second: Tensor<B, 1>,
}

impl<B: Backend> Moments<B> {
    /// What an optimiser starts from.
    pub fn zeros_like(parameters: &Tensor<B, 1>) -> Self {
        Self {
            first: parameters.zeros_like(),
            second: parameters.zeros_like(),
        }
    }
}

/// Takes step number `step` (from 1) with the learning rate scaled by `rate`.
pub fn update<B: KernelBackend>(
    config: &OptimiserConfig,
    rate: f64,
    step: u64,
    parameters: Tensor<B, 1>,
    gradients: Tensor<B, 1>,
    moments: Moments<B>,
) -> (Tensor<B, 1>, Moments<B>) {
    match *config {
        OptimiserConfig::Adam {
            learning_rate,
            beta1,
            beta2,
            epsilon,
        } => {
            let step = AdamStep::new(learning_rate * rate, beta1, beta2, epsilon, step);
            B::adam(parameters, gradients, moments, step)
        }
        OptimiserConfig::Adadelta {
            learning_rate,
            rho,
            epsilon,
        } => {
            let step = AdadeltaStep {
                learning_rate: learning_rate * rate,
                rho,
                epsilon,
            };
            B::adadelta(parameters, gradients, moments, step)
        }
    }
}
