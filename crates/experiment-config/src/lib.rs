//! Experiments of padwise as a person writes them: one TOML file with a corpus, a model, how to train, what to measure, and a
//! row for each batching strategy.
//!
//! Everything has a default except the corpus and the strategies. [`read`] reads a file strictly and reports every mistake with its
//! line and what would be right ([`ConfigError`]). The result is an [`ExperimentConfig`], in which nothing is left out and every
//! strategy is a value. [`ExperimentConfig::to_toml`] writes it next to the results, and it reads back to the same experiment.
//!
//! This crate needs neither burn nor a corpus, so that whoever reports on results can read configs too.
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

mod config;
mod corpus;
mod error;
mod json_schema;
mod overrides;
mod paper;
mod read;
mod resolve;
mod strategy;
mod train;

pub use config::{
    Config, ExperimentConfig, FeaturesConfig, MeasureConfig, ModelConfig, WrittenConfig,
};
pub use corpus::{CorpusConfig, ValidationSet};
pub use error::{ConfigError, KeyError};
pub use json_schema::schema;
pub use paper::PaperColumn;
pub use read::{read, read_text};
pub use strategy::{Row, StrategyTable};
pub use train::TrainConfig;
