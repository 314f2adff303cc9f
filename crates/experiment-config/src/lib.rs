//! Reads padwise experiment configs: TOML files that name a corpus, a model, training settings and batching strategies.
//!
//! [`read`] checks a file strictly and reports an error with its line and a fix ([`ConfigError`]). Every key has a default except
//! the corpus and the strategies. The result is an [`ExperimentConfig`] with all defaults filled in and every strategy parsed.
//! [`ExperimentConfig::to_toml`] writes it next to the results; reading that file gives the same experiment.
//! [`ExperimentConfig::to_complete_toml`] also writes the defaults of keys that are not set.
//!
//! [`schema`] returns the JSON schema of configs, and [`reference()`] the same as Markdown tables.
//!
//! This crate depends neither on burn nor on a corpus, so reporting tools can read configs too.
//!
//! ```
//! # let folder = std::env::temp_dir().join(format!("padwise-config-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let file = folder.join("quick.toml");
//! std::fs::write(&file, r#"
//!     [corpus.synthetic]
//!     utterances = 100
//!     [[strategy]]
//!     line = "sorted,shuffle-batches"
//! "#)?;
//! let config = padwise_experiment_config::read(&file, &["train.epochs=2".into()])?;
//! assert_eq!(config.name, "quick");
//! assert_eq!(config.train.epochs, 2);
//! assert_eq!(config.strategy[0].strategy.to_string(), "sorted,batch=16,shuffle-batches");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounded_file;
mod complete;
mod config;
mod corpus;
mod error;
mod held_out;
mod held_out_speakers;
mod json_schema;
mod limits;
mod overrides;
mod paper;
mod parallel;
mod read;
mod reference;
mod resolve;
mod strategy;
mod train;
mod words;

pub use bounded_file::{MAX_CONFIG_BYTES, read_bounded, read_bounded_text};
pub use config::{
    Config, ExperimentConfig, FeaturesConfig, MeasureConfig, ModelConfig, WrittenConfig,
};
pub use corpus::CorpusConfig;
pub use error::{ConfigError, KeyError};
pub use held_out::HeldOutSet;
pub use held_out_speakers::HeldOutSpeakers;
pub use json_schema::schema;
pub use paper::PaperColumn;
pub use parallel::{Average, OptimiserState, ParallelConfig, ParallelEngine, Workers};
pub use read::{read, read_text};
pub use reference::reference;
pub use strategy::{Row, StrategyTable};
pub use train::TrainConfig;
pub use words::{BEAM_PER_LM_SCALE, WordsConfig};
