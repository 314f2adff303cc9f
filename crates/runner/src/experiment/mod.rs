//! An experiment that can be run: a config, its rows, and the corpus it names, opened.

mod forecast;
mod probing;

use std::path::{Path, PathBuf};

use padwise_model::BlstmConfig;

use crate::config::{Row, RunConfig};
use crate::corpora::{CorporaError, Split};

pub use forecast::{Forecast, Largest, forecast_table};
pub use probing::TIME_FOR_PROBES;

/// A config, its rows, and its corpus.
pub struct Experiment {
    /// The resolved config.
    pub config: RunConfig,
    /// Its strategies.
    pub rows: Vec<Row>,
    /// The folder that its paths start from.
    pub folder: PathBuf,
    /// The corpus; frames are not read yet.
    pub split: Split,
}

impl Experiment {
    /// Opens the corpus of a config that stands in this file.
    pub fn open(config: RunConfig, rows: Vec<Row>, file: &Path) -> Result<Self, CorporaError> {
        let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
        let split = Split::open(&config.corpus, &folder)?;
        Ok(Experiment {
            config,
            rows,
            folder,
            split,
        })
    }

    /// The same with its frames normalised, and read into memory where the config says so, as a run trains on them.
    pub fn ready(self) -> Result<Self, CorporaError> {
        let statistics = self.split.statistics(self.config.features.normalisation)?;
        let hold = self.config.holds_corpus();
        let split = self.split.normalised(statistics, hold)?;
        Ok(Experiment { split, ..self })
    }

    /// The shape of the model that is trained.
    pub fn model(&self) -> BlstmConfig {
        let corpus = &self.split.training;
        self.config
            .train
            .trainer(
                &self.config.model,
                corpus.dims(),
                corpus.classes().unwrap_or(0),
                0,
            )
            .model
    }
}
