//! Checkpoints: parameters, optimiser state and random state in one safetensors file, written atomically.
//!
//! The parameters have PyTorch's names, so a checkpoint is also a state dict. Randomness in training
//! (dropout) is a function of seed and step, so these two numbers are the whole random state.
//!
//! A checksum covers the metadata and every tensor. The caller stores a tag in the file, such as the run that
//! the checkpoint belongs to, and gets it back when it loads the file.

use std::collections::HashMap;
use std::path::Path;

use padwise_model_config::{BlstmConfig, OptimiserConfig, TrainerConfig};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::trainer::{OptimiserSnapshot, RunningAverages};
use super::weights;
use crate::error::ModelError;

/// Version of the file format.
const FORMAT: u32 = 2;

/// Everything needed to resume training exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// The metadata.
    pub about: About,
    /// The caller's text.
    pub tag: String,
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
    /// The run's seed.
    pub seed: u64,
    /// The step at which the optimiser last started anew.
    #[serde(default)]
    pub optimiser_start: u64,
}

impl Checkpoint {
    /// The checkpoint of a trainer with these parameters and this optimiser, which must have running averages.
    pub(super) fn of(
        config: &TrainerConfig,
        tag: &str,
        parameters: Vec<f32>,
        optimiser: OptimiserSnapshot,
    ) -> Self {
        let averages = optimiser.averages.unwrap_or_default();
        Self {
            tag: tag.to_owned(),
            about: About {
                model: config.model.clone(),
                optimiser: config.optimiser,
                step: optimiser.step,
                seed: config.seed,
                optimiser_start: optimiser.start,
            },
            parameters,
            first: averages.first,
            second: averages.second,
        }
    }

    /// Takes the optimiser's state.
    pub(super) fn take_optimiser(&mut self) -> OptimiserSnapshot {
        OptimiserSnapshot {
            averages: Some(RunningAverages {
                first: std::mem::take(&mut self.first),
                second: std::mem::take(&mut self.second),
            }),
            step: self.about.step,
            start: self.about.optimiser_start,
        }
    }

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
        let bytes = tensors
            .iter()
            .map(|(name, (_, bytes))| (name.as_str(), bytes.as_ref()));
        let metadata = HashMap::from([
            ("padwise.format".to_owned(), FORMAT.to_string()),
            (
                "padwise.checksum".to_owned(),
                checksum(&about, &self.tag, bytes),
            ),
            ("padwise.about".to_owned(), about),
            ("padwise.tag".to_owned(), self.tag.clone()),
        ]);
        weights::write_file(path, &tensors, Some(metadata))
    }

    /// Reads a checkpoint and verifies its checksum.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let bytes = weights::read_file(path)?;
        let tensors = weights::parse(path, &bytes)?;
        let metadata = Metadata::read(path, &bytes)?;
        let mut names = tensors.names();
        names.sort_unstable();
        let views = names.into_iter().filter_map(|name| {
            let view = tensors.tensor(name).ok()?;
            Some((name, view.data()))
        });
        let found = checksum(&metadata.about, &metadata.tag, views);
        if found != metadata.checksum {
            return Err(ModelError::weights(
                path,
                format!(
                    "damaged checkpoint: checksum {found}, expected {}",
                    metadata.checksum
                ),
            ));
        }
        let about: About = serde_json::from_str(&metadata.about).map_err(|error| {
            let problem = format!("cannot read the checkpoint metadata ({error})");
            ModelError::weights(path, problem)
        })?;
        let parameters = weights::parameters(path, &about.model, &tensors)?;
        let count = [parameters.len()];
        Ok(Self {
            first: weights::tensor(path, &tensors, "optimiser.first", &count)?,
            second: weights::tensor(path, &tensors, "optimiser.second", &count)?,
            tag: metadata.tag,
            parameters,
            about,
        })
    }
}

/// The metadata of a checkpoint as texts in the file's header.
struct Metadata {
    about: String,
    tag: String,
    checksum: String,
}

impl Metadata {
    fn read(path: &Path, bytes: &[u8]) -> Result<Self, ModelError> {
        let wrong = |problem: String| ModelError::weights(path, problem);
        let (_, header) = safetensors::SafeTensors::read_metadata(bytes)
            .map_err(|error| wrong(error.to_string()))?;
        let mut metadata = header.metadata().clone().unwrap_or_default();
        let mut take = |name: &str| {
            let missing = || wrong("contains weights, but is not a checkpoint".to_owned());
            metadata.remove(name).ok_or_else(missing)
        };
        let format = take("padwise.format")?;
        if format != FORMAT.to_string() {
            return Err(wrong(format!(
                "has checkpoint format {}, but this version reads format {FORMAT}",
                format.chars().take(20).collect::<String>().escape_default()
            )));
        }
        Ok(Metadata {
            about: take("padwise.about")?,
            tag: take("padwise.tag")?,
            checksum: take("padwise.checksum")?,
        })
    }
}

/// A checksum of metadata and tensors, in the order of their names. Each part is preceded by its length.
fn checksum<'a>(
    about: &str,
    tag: &str,
    tensors: impl Iterator<Item = (&'a str, &'a [u8])>,
) -> String {
    let mut hash = Xxh3::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(about.as_bytes());
    add(tag.as_bytes());
    for (name, bytes) in tensors {
        add(name.as_bytes());
        add(bytes);
    }
    format!("{:032x}", hash.digest128())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let config = TrainerConfig::new(BlstmConfig::new(1, 2).with_layers(1).with_hidden(1));
        let count = config.model.parameter_count();
        Checkpoint {
            about: About {
                model: config.model,
                optimiser: config.optimiser,
                step: 7,
                seed: 3,
                optimiser_start: 2,
            },
            tag: "row 1".into(),
            parameters: (0..count).map(|at| at as f32).collect(),
            first: vec![0.5; count],
            second: vec![0.25; count],
        }
    }

    /// A flipped bit anywhere in the file is found, or changes nothing that is read.
    #[test]
    fn every_flipped_bit_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.safetensors");
        let original = checkpoint();
        original.write(&path).expect("written");
        assert_eq!(Checkpoint::read(&path).expect("read"), original);
        let bytes = std::fs::read(&path).expect("there");
        let mut refused = 0;
        for (at, bit) in (0..bytes.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            std::fs::write(&path, damaged).expect("written");
            match Checkpoint::read(&path) {
                Ok(read) => assert_eq!(read, original, "byte {at}, bit {bit}"),
                Err(_) => refused += 1,
            }
        }
        assert!(
            refused > 7 * bytes.len(),
            "{refused} of {}",
            8 * bytes.len()
        );
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).expect("written");
            assert!(Checkpoint::read(&path).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn a_claim_of_a_million_layers_is_refused_before_they_are_listed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.safetensors");
        let original = checkpoint();
        let mut tensors = weights::named(&original.about.model, &original.parameters);
        tensors.insert("optimiser.first".into(), weights::written(vec![1], &[0.0]));
        weights::write_file(&path, &tensors, None).expect("written");
        let wide = BlstmConfig::new(1, 2).with_layers(1 << 20).with_hidden(1);
        let refused = weights::read(&path, &wide).expect_err("too few tensors");
        assert!(refused.to_string().contains("1048576 layers"), "{refused}");
    }
}
