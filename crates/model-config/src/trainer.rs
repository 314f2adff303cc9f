//! Everything that a trainer needs to know before its first batch.

use crate::choices::{Objective, Precision, Recurrence};
use crate::error::{SettingError, require};
use crate::model::BlstmConfig;
use crate::optimiser::OptimiserConfig;
use crate::schedule::Schedule;

/// Everything that a trainer needs to know before its first batch.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainerConfig {
    /// The model's shape.
    pub model: BlstmConfig,
    /// The optimiser.
    pub optimiser: OptimiserConfig,
    /// How the learning rate changes.
    pub schedule: Schedule,
    /// The largest global gradient norm, if any.
    pub clip_norm: Option<f64>,
    /// What is minimised.
    pub objective: Objective,
    /// Which recurrence.
    pub recurrence: Recurrence,
    /// Which arithmetic in the large matrix multiplications.
    pub precision: Precision,
    /// Where initial parameters and dropout come from.
    pub seed: u64,
}

impl TrainerConfig {
    /// A trainer for this model with everything else as PyTorch would have it by default.
    pub fn new(model: BlstmConfig) -> Self {
        Self {
            model,
            optimiser: OptimiserConfig::default(),
            schedule: Schedule::default(),
            clip_norm: None,
            objective: Objective::default(),
            recurrence: Recurrence::default(),
            precision: Precision::default(),
            seed: 0,
        }
    }

    /// Whether all settings make sense.
    pub fn validate(&self) -> Result<(), SettingError> {
        self.model.validate()?;
        self.optimiser.validate()?;
        self.schedule.validate()?;
        // None is fine, too.
        let clip = self.clip_norm.unwrap_or(1.0);
        let remedy = "give the largest gradient norm, above 0, or leave it out";
        require(clip > 0.0 && clip.is_finite(), "clip_norm", clip, remedy)
    }
}
