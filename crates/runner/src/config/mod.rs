//! An experiment as a person writes it: one TOML file with a corpus, a model, how to train, what to measure, and a row for each
//! strategy.
//!
//! Everything has a default except the corpus and the strategies. A file is read strictly ([`read`]), every mistake is
//! answered with its line and with what would be right ([`ConfigError`]), and what is run is the resolved form, in which
//! nothing is left out: it stands beside the results and reads back to the same experiment.

mod checks;
mod error;
mod overrides;
mod read;
mod schema;
mod strategy_row;
mod train;

use padwise_features::normalisation::Normalisation;
use serde::{Deserialize, Serialize};

use crate::corpora::CorpusConfig;

pub use error::ConfigError;
pub use padwise_report::record::{Outline, PaperColumn, Row};
pub use read::read;
pub use schema::schema;
pub use strategy_row::StrategyRow;
pub use train::TrainConfig;

/// A whole experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RunConfig {
    /// The folder of its results; the file's own name where not given.
    #[serde(default)]
    pub name: String,
    /// What it shows, in a line above the table.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What is trained on.
    pub corpus: CorpusConfig,
    /// What is done to features before the model sees them.
    #[serde(default)]
    pub features: FeaturesConfig,
    /// The model's shape.
    #[serde(default)]
    pub model: ModelConfig,
    /// How it is trained.
    #[serde(default)]
    pub train: TrainConfig,
    /// What is measured, and how.
    #[serde(default)]
    pub measure: MeasureConfig,
    /// One row of the table each.
    #[serde(default)]
    pub strategy: Vec<StrategyRow>,
}

impl RunConfig {
    /// Whether all frames are read into memory before the first epoch.
    pub fn holds_corpus(&self) -> bool {
        let made_up = self.corpus.synthetic.is_some();
        self.features.in_memory.unwrap_or(made_up)
    }

    /// What its numbers are read by.
    pub fn outline(&self, rows: &[Row]) -> Outline {
        Outline {
            name: self.name.clone(),
            title: self.title.clone(),
            epochs: self.train.epochs,
            seeds: self.train.seeds.clone(),
            baseline: self.measure.baseline.clone(),
            target_loss: self.measure.target_loss,
            rows: rows.to_vec(),
        }
    }
}

/// What is done to features before the model sees them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct FeaturesConfig {
    /// What they are normalised by, learnt from the training utterances alone.
    pub normalisation: Normalisation,
    /// Whether all of them are read into memory before the first epoch; by default where they are made up as they are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_memory: Option<bool>,
}

/// The model's shape; its inputs and its classes are the corpus's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ModelConfig {
    /// Bidirectional layers.
    pub layers: usize,
    /// Units in each direction of each layer.
    pub hidden: usize,
    /// The share of outputs dropped between layers while training.
    pub dropout: f64,
}

impl Default for ModelConfig {
    /// Three layers of 512, as the papers train.
    fn default() -> Self {
        ModelConfig {
            layers: 3,
            hidden: 512,
            dropout: 0.0,
        }
    }
}

/// What is measured, and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct MeasureConfig {
    /// Steps on the epoch's largest batch before the clock starts: they compile, warm up, and show whether it fits.
    pub warm_up_steps: u32,
    /// Utterances in a batch of the fixed, random validation batches that all strategies share.
    pub validation_batch: u32,
    /// Epochs from one validation to the next; the last epoch always has one.
    pub validate_every: u64,
    /// Whether sequence errors are counted: the best classes, collapsed, against the reference.
    pub sequence_errors: bool,
    /// The row that time saved is counted against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The validation loss that time to a loss is measured to; by default the lowest that every strategy reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_loss: Option<f64>,
}

impl Default for MeasureConfig {
    fn default() -> Self {
        MeasureConfig {
            warm_up_steps: 2,
            validation_batch: 16,
            validate_every: 1,
            sequence_errors: true,
            baseline: None,
            target_loss: None,
        }
    }
}
