//! The complete configuration of a trainer.

use crate::choices::{Objective, Padding, Precision, Recurrence};
use crate::error::{SettingError, require};
use crate::model::BlstmConfig;
use crate::optimiser::OptimiserConfig;

/// The complete configuration of a trainer.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainerConfig {
    /// The model's shape.
    pub model: BlstmConfig,
    /// The optimiser and its settings.
    pub optimiser: OptimiserConfig,
    /// Gradient clipping: the largest global norm, or `None` for no clipping.
    pub clip_norm: Option<f64>,
    /// The training objective (loss function).
    pub objective: Objective,
    /// The implementation of the LSTM recurrence.
    pub recurrence: Recurrence,
    /// How batches are stored.
    pub padding: Padding,
    /// The precision of the large matrix multiplications.
    pub precision: Precision,
    /// Seed of the initial parameters and of dropout.
    pub seed: u64,
}

impl TrainerConfig {
    /// A configuration for this model with PyTorch's defaults for everything else.
    pub fn new(model: BlstmConfig) -> Self {
        Self {
            model,
            optimiser: OptimiserConfig::default(),
            clip_norm: None,
            objective: Objective::default(),
            recurrence: Recurrence::default(),
            padding: Padding::default(),
            precision: Precision::default(),
            seed: 0,
        }
    }

    /// Checks that all settings are valid.
    pub fn validate(&self) -> Result<(), SettingError> {
        self.model.validate()?;
        self.optimiser.validate()?;
        // No clipping is valid too.
        let clip = self.clip_norm.unwrap_or(1.0);
        let remedy = "give the largest gradient norm, above 0, or leave it out";
        require(clip > 0.0 && clip.is_finite(), "clip_norm", clip, remedy)
    }
}
