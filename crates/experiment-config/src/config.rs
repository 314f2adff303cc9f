//! The tables of an experiment's config.

use padwise_features::normalisation::Normalisation;
use padwise_model_config::{BlstmConfig, Objective, OptimiserConfig, TrainerConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::corpus::CorpusConfig;
use crate::strategy::{Row, StrategyTable};
use crate::train::TrainConfig;

/// A config with nothing left out: every strategy is a value.
pub type ExperimentConfig = Config<Row>;

/// A config as a file has it.
pub type WrittenConfig = Config<StrategyTable>;

/// A whole experiment; `S` is a strategy, as it is written or as it is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(bound(deserialize = "S: Deserialize<'de>"))]
pub struct Config<S> {
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
    #[schemars(length(min = 1))]
    pub strategy: Vec<S>,
}

impl<S> Config<S> {
    /// Whether all frames are read into memory before the first epoch.
    pub fn holds_corpus(&self) -> bool {
        let made_up = self.corpus.synthetic.is_some();
        self.features.in_memory.unwrap_or(made_up)
    }

    /// Everything that a trainer needs, for a corpus of `inputs` numbers a frame and `classes` classes. CTC has a class of its
    /// own for "no label here", after the others.
    pub fn trainer(&self, inputs: usize, classes: usize, seed: u64) -> TrainerConfig {
        let train = &self.train;
        let scores = match train.objective {
            Objective::FrameWise => classes,
            Objective::Ctc => classes.saturating_add(1),
        };
        let shape = BlstmConfig::new(inputs, scores)
            .with_layers(self.model.layers)
            .with_hidden(self.model.hidden)
            .with_dropout(self.model.dropout);
        TrainerConfig {
            optimiser: OptimiserConfig::new(train.optimiser, train.learning_rate),
            schedule: train.schedule,
            clip_norm: train.clip_norm,
            objective: train.objective,
            recurrence: train.recurrence,
            precision: train.precision,
            seed,
            ..TrainerConfig::new(shape)
        }
    }
}

impl ExperimentConfig {
    /// The config as a file has it, every strategy on one line.
    pub fn written(&self) -> WrittenConfig {
        Config {
            name: self.name.clone(),
            title: self.title.clone(),
            corpus: self.corpus.clone(),
            features: self.features.clone(),
            model: self.model.clone(),
            train: self.train.clone(),
            measure: self.measure.clone(),
            strategy: self.strategy.iter().map(StrategyTable::from).collect(),
        }
    }

    /// The text of the file next to the results.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(&self.written())
    }
}

/// What is done to features before the model sees them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct FeaturesConfig {
    /// What they are normalised by, learnt from the training utterances alone.
    pub normalisation: Normalisation,
    /// Whether all of them are read into memory before the first epoch; by default where they are made up as they are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_memory: Option<bool>,
}

/// The model's shape; its inputs and its classes are the corpus's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ModelConfig {
    /// Bidirectional layers.
    #[schemars(range(min = 1))]
    pub layers: usize,
    /// Units in each direction of each layer.
    #[schemars(range(min = 1))]
    pub hidden: usize,
    /// The share of outputs dropped between layers while training.
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct MeasureConfig {
    /// Steps on the epoch's largest batch before the clock starts: they compile, warm up, and show whether it fits.
    pub warm_up_steps: u32,
    /// Utterances in a batch of the fixed, random validation batches that all strategies share.
    #[schemars(range(min = 1))]
    pub validation_batch: u32,
    /// Epochs from one validation to the next; the last epoch always has one.
    #[schemars(range(min = 1))]
    pub validate_every: u64,
    /// Whether sequence errors are counted: the best classes, collapsed, against the reference.
    pub sequence_errors: bool,
    /// The row that time saved is counted against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The validation loss that time to a loss is measured to; by default the lowest that every strategy reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
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
