//! Optimiser settings: Adam (Kingma and Ba, 2015) and ADADELTA (Zeiler, 2012).

use serde::{Deserialize, Serialize};

use crate::choices::Optimiser;
use crate::error::{SettingError, require};

/// An optimiser with its settings. [`OptimiserConfig::new`] has PyTorch's defaults.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum OptimiserConfig {
    /// Adam.
    Adam {
        /// Learning rate.
        learning_rate: f64,
        /// Decay of the running average of gradients.
        beta1: f64,
        /// Decay of the running average of squared gradients.
        beta2: f64,
        /// Added to the square root of the average of squared gradients.
        epsilon: f64,
    },
    /// ADADELTA.
    Adadelta {
        /// Scale of the step; 1 in the paper.
        learning_rate: f64,
        /// Decay of the running averages of squared gradients and squared steps.
        rho: f64,
        /// Added to both running averages before taking their square roots.
        epsilon: f64,
    },
}

impl Default for OptimiserConfig {
    fn default() -> Self {
        Self::new(Optimiser::default(), None)
    }
}

impl OptimiserConfig {
    /// An optimiser with PyTorch's defaults, and the learning rate if one is given.
    pub fn new(optimiser: Optimiser, learning_rate: Option<f64>) -> Self {
        match optimiser {
            Optimiser::Adam => Self::Adam {
                learning_rate: learning_rate.unwrap_or(1e-3),
                beta1: 0.9,
                beta2: 0.999,
                epsilon: 1e-8,
            },
            Optimiser::Adadelta => Self::Adadelta {
                learning_rate: learning_rate.unwrap_or(1.0),
                rho: 0.9,
                epsilon: 1e-6,
            },
        }
    }

    /// Checks that all settings are valid.
    pub fn validate(&self) -> Result<(), SettingError> {
        let (rate, decays, epsilon) = match *self {
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
        let positive = |value: f64| value > 0.0 && value.is_finite();
        require(
            positive(rate),
            "learning_rate",
            rate,
            "give a number above 0",
        )?;
        for (name, decay) in decays {
            let remedy = "give a decay from 0 up to but not including 1";
            require((0.0..1.0).contains(&decay), name, decay, remedy)?;
        }
        let remedy = "give a small number above 0";
        require(positive(epsilon), "epsilon", epsilon, remedy)
    }

    /// The optimiser's name as spelt in its paper.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Adam { .. } => "Adam",
            Self::Adadelta { .. } => "ADADELTA",
        }
    }
}
