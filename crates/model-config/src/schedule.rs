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
}

impl Schedule {
    /// Checks that all settings are valid.
    pub fn validate(&self) -> Result<(), SettingError> {
        let Self::Step { every, factor } = *self else {
            return Ok(());
        };
        let epochs = "give the number of epochs between changes, at least 1";
        require(every > 0, "every", every, epochs)?;
        let valid = factor > 0.0 && factor.is_finite();
        let remedy = "give a number above 0; below 1 to decay";
        require(valid, "factor", factor, remedy)
    }

    /// The factor on the learning rate in epoch `epoch`, counted from 0.
    pub fn factor(&self, epoch: u64) -> f64 {
        match *self {
            Self::Constant => 1.0,
            Self::Step { every, factor } => factor.powf((epoch / every.max(1)) as f64),
        }
    }
}
