//! Checkpoints: parameters, optimiser state and random state in one safetensors file, written atomically.
//!
//! The parameters have PyTorch's names, so a checkpoint is also a state dict. Randomness in training
//! (dropout) is a function of seed and step, so these two numbers are the whole random state.

use std::collections::HashMap;
use std::path::Path;

use padwise_model_config::{BlstmConfig, OptimiserConfig, TrainerConfig};
use serde::{Deserialize, Serialize};

use super::weights;
use crate::error::ModelError;

/// Version of the file format.
const FORMAT: u32 = 1;

/// Everything needed to resume training exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The metadata.
    pub about: About,
    /// All parameters, in the order of [`BlstmConfig::parameters`].
    pub parameters: Vec<f32>,
    /// The optimiser's first running average.
    pub first: Vec<f32>,
    /// The optimiser's second running average.
    pub second: Vec<f32>,
}

/// The metadata of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The model's shape.
    pub model: BlstmConfig,
    /// The optimiser that the running averages belong to.
    pub optimiser: OptimiserConfig,
    /// Number of steps taken.
    pub step: u64,
    /// The current epoch.
    pub epoch: u64,
    /// The run's seed.
    pub seed: u64,
}

impl Checkpoint {
    /// Writes the checkpoint atomically.
    pub fn write(&self, path: &Path) -> Result<(), ModelError> {
        self.about.model.validate()?;
        let count = self.parameters.len();
        for values in [&self.parameters, &self.first, &self.second] {
            weights::check_count(path, &self.about.model, values.len())?;
        }
        let mut tensors = weights::named(&self.about.model, &self.parameters);
        for (name, values) in [
            ("optimiser.first", &self.first),
            ("optimiser.second", &self.second),
        ] {
            tensors.insert(name.into(), weights::written(vec![count], values));
        }
        let about = serde_json::to_string(&self.about)
            .map_err(|error| ModelError::weights(path, error.to_string()))?;
        let metadata = HashMap::from([
            ("padwise.format".to_owned(), FORMAT.to_string()),
            ("padwise.about".to_owned(), about),
        ]);
        weights::write_file(path, &tensors, Some(metadata))
    }

    /// Reads a checkpoint.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let bytes = weights::read_file(path)?;
        let tensors = weights::parse(path, &bytes)?;
        let about = about(path, &bytes)?;
        let parameters = weights::parameters(path, &about.model, &tensors)?;
        let count = [parameters.len()];
        Ok(Self {
            first: weights::tensor(path, &tensors, "optimiser.first", &count)?,
            second: weights::tensor(path, &tensors, "optimiser.second", &count)?,
            parameters,
            about,
        })
    }
}

/// Reads the metadata of a checkpoint file.
fn about(path: &Path, bytes: &[u8]) -> Result<About, ModelError> {
    let wrong = |problem: String| ModelError::weights(path, problem);
    let (_, header) =
        safetensors::SafeTensors::read_metadata(bytes).map_err(|error| wrong(error.to_string()))?;
    let metadata = header.metadata().clone().unwrap_or_default();
    let missing = || wrong("contains weights, but is not a checkpoint".to_owned());
    let format = metadata.get("padwise.format").ok_or_else(missing)?;
    if *format != FORMAT.to_string() {
        return Err(wrong(format!(
            "has checkpoint format {format}, but this version reads format {FORMAT}"
        )));
    }
    let about = metadata.get("padwise.about").ok_or_else(missing)?;
    serde_json::from_str(about)
        .map_err(|error| wrong(format!("cannot read the checkpoint metadata ({error})")))
}

impl About {
    /// Checks that a trainer with this configuration can resume from this checkpoint.
    pub(crate) fn fits(&self, path: &Path, config: &TrainerConfig) -> Result<(), ModelError> {
        let wrong = |problem: String| Err(ModelError::weights(path, problem));
        if self.model != config.model {
            return wrong(format!(
                "is a checkpoint of a different model: {:?}, expected {:?}",
                self.model, config.model
            ));
        }
        if self.optimiser.name() != config.optimiser.name() {
            return wrong(format!(
                "contains the state of {}, but this run uses {}",
                self.optimiser.name(),
                config.optimiser.name()
            ));
        }
        Ok(())
    }
}
