//! The tables of an experiment config.

use padwise_features::normalisation::Normalisation;
use padwise_model_config::{BlstmConfig, Objective, OptimiserConfig, Padding, TrainerConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::corpus::CorpusConfig;
use crate::limits::{MAX_BATCH, MAX_EPOCHS, MAX_HIDDEN, MAX_LAYERS, MAX_WARM_UP_STEPS};
use crate::strategy::{Row, StrategyTable};
use crate::train::TrainConfig;
use crate::words::WordsConfig;

/// A config ready to run: defaults filled in, every strategy parsed.
pub type ExperimentConfig = Config<Row>;

/// A config as written in a file.
pub type WrittenConfig = Config<StrategyTable>;

/// A padwise experiment: a corpus, a model, training settings and the batching strategies to compare.
///
/// `S` is the type of a strategy: [`StrategyTable`] as written, [`Row`] as run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(bound(deserialize = "S: Deserialize<'de>"))]
pub struct Config<S> {
    /// Name of the results folder: up to 100 letters, digits, `-`, `_` and `.`. Default: the config's file name without `.toml`.
    #[serde(default)]
    pub name: String,
    /// Title above the results table. Default: none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The corpus to train, validate and test on.
    pub corpus: CorpusConfig,
    /// How features are processed before they reach the model.
    #[serde(default)]
    pub features: FeaturesConfig,
    /// The shape of the model.
    #[serde(default)]
    pub model: ModelConfig,
    /// Training settings, the same for every strategy unless it has its own.
    #[serde(default)]
    pub train: TrainConfig,
    /// Measurement settings.
    #[serde(default)]
    pub measure: MeasureConfig,
    /// The batching strategies to compare, one per row of the results table.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub strategy: Vec<S>,
}

impl<S> Config<S> {
    /// Whether all frames are read into memory before the first epoch.
    pub fn keeps_corpus_in_memory(&self) -> bool {
        let is_synthetic = self.corpus.synthetic.is_some();
        self.features.in_memory.unwrap_or(is_synthetic)
    }

    /// Trainer settings for a corpus with `inputs` features per frame and `classes` classes.
    ///
    /// CTC adds the blank as one more class after the others.
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
            clip_norm: train.clip_norm,
            objective: train.objective,
            recurrence: train.recurrence,
            padding: self.model.padding,
            precision: train.precision,
            seed,
            ..TrainerConfig::new(shape)
        }
    }
}

impl ExperimentConfig {
    /// The config as written in a file, every strategy in its one-line form.
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

    /// The text of the `config.toml` in a results folder.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(&self.written())
    }
}

/// How features are processed before they reach the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct FeaturesConfig {
    /// Mean and variance normalisation, estimated on the training utterances only. Default: `"global"`.
    pub normalisation: Normalisation,
    /// Whether to read all features into memory before the first epoch. Default: `true` for a synthetic corpus, `false` for packs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_memory: Option<bool>,
}

/// The shape of the model; the corpus sets its input size and its number of classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ModelConfig {
    /// Number of bidirectional LSTM layers. Default: `3`.
    #[schemars(range(min = 1, max = MAX_LAYERS))]
    pub layers: usize,
    /// Hidden size: LSTM units per direction and layer. Default: `512`.
    #[schemars(range(min = 1, max = MAX_HIDDEN))]
    pub hidden: usize,
    /// Fraction of outputs dropped between layers during training. Default: `0.0`.
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
    pub dropout: f64,
    /// How batches are stored on the device. Results agree up to rounding. Default: `"padded"`.
    #[serde(skip_serializing_if = "is_padded")]
    pub padding: Padding,
}

/// The default is not written, so the configs of older records stay the same.
fn is_padded(padding: &Padding) -> bool {
    *padding == Padding::Padded
}

impl Default for ModelConfig {
    /// Three layers of 512 units, as in the papers.
    fn default() -> Self {
        ModelConfig {
            layers: 3,
            hidden: 512,
            dropout: 0.0,
            padding: Padding::default(),
        }
    }
}

/// Measurement settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct MeasureConfig {
    /// Untimed training steps on the largest batch before timing starts; they also show whether it fits in memory. Default: `2`.
    #[schemars(range(min = 0, max = MAX_WARM_UP_STEPS))]
    pub warm_up_steps: u32,
    /// Batch size for validation, in utterances; all strategies use the same validation batches. Default: `16`.
    #[schemars(range(min = 1, max = MAX_BATCH))]
    pub validation_batch: u32,
    /// Epochs between validations; the last epoch is always validated. Default: `1`.
    #[schemars(range(min = 1, max = MAX_EPOCHS))]
    pub validate_every: u64,
    /// Whether to compute error rates of phones, characters or words, by greedy decoding of the validation set. Default: `true`.
    pub sequence_errors: bool,
    /// Name of the baseline strategy, for time saved and speed-up. Default: none; reports then use the first random strategy of whole utterances, or else the first row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Target validation loss of the time-to-loss column. Default: the lowest loss that every completed run reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub target_loss: Option<f64>,
    /// Margin of error rates, in percentage points: a strategy counts as equivalent to the baseline if the whole confidence interval of
    /// their difference is within it. Default: none; no equivalence is claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub margin: Option<f64>,
    /// Word error rates, by decoding the test set with a lexicon and a language model. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<WordsConfig>,
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
            margin: None,
            words: None,
        }
    }
}
