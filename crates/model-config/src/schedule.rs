//! Learning rate schedules.

use serde::{Deserialize, Serialize};

use crate::error::{SettingError, require};

/// How the learning rate changes from epoch to epoch.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// The learning rate stays the same.
    #[default]
    Constant,
    /// The learning rate is multiplied by a factor every few epochs.
    Step {
        /// Epochs between changes.
        #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
        every: u64,
        /// Factor by which the learning rate is multiplied at each change; below 1 to decay.
        #[cfg_attr(feature = "schemars", schemars(extend("exclusiveMinimum" = 0)))]
        factor: f64,
    },
    /// The learning rate is multiplied by a factor after every validation that shows hardly any improvement.
    Plateau {
        /// The improvement that keeps the learning rate: the validation loss must be lower than the lowest one before by more than this share of it.
        #[cfg_attr(feature = "schemars", schemars(range(min = 0), extend("exclusiveMaximum" = 1)))]
        improvement: f64,
        /// Factor by which the learning rate is multiplied.
        #[cfg_attr(feature = "schemars", schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1)))]
        factor: f64,
    },
}

impl Schedule {
    /// Checks that all settings are valid.
    pub fn validate(&self) -> Result<(), SettingError> {
        match *self {
            Self::Constant => Ok(()),
            Self::Step { every, factor } => {
                let epochs = "give the number of epochs between changes, at least 1";
                require(every > 0, "every", every, epochs)?;
                let valid = factor > 0.0 && factor.is_finite();
                let remedy = "give a number above 0; below 1 to decay";
                require(valid, "factor", factor, remedy)
            }
            Self::Plateau {
                improvement,
                factor,
            } => {
                let valid = (0.0..1.0).contains(&improvement);
                let remedy = "give a share from 0 to below 1, for example 0.01";
                require(valid, "improvement", improvement, remedy)?;
                let valid = factor > 0.0 && factor < 1.0;
                require(valid, "factor", factor, "give a number between 0 and 1")
            }
        }
    }

    /// The factor on the learning rate in epoch `epoch`, counted from 0. `losses` are the validation losses so far, in order.
    pub fn factor(&self, epoch: u64, losses: &[f64]) -> f64 {
        match *self {
            Self::Constant => 1.0,
            Self::Step { every, factor } => factor.powf((epoch / every.max(1)) as f64),
            Self::Plateau {
                improvement,
                factor,
            } => {
                let (mut lowest, mut changes) = (f64::INFINITY, 0);
                for &loss in losses {
                    let improved = loss < lowest * (1.0 - improvement);
                    changes += i32::from(!improved);
                    lowest = lowest.min(loss);
                }
                factor.powi(changes)
            }
        }
    }
}
