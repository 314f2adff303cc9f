//! `padwise export`: an experiment's utterances and batches as plain files, for other programs to train on.

use std::path::PathBuf;

use clap::Args;

use super::open_experiment;
use crate::failure::Failure;

/// Write an experiment's features, labels and batches as plain files: scripts/peer.py trains PyTorch on them.
#[derive(Debug, Args)]
pub struct Export {
    /// The experiment, such as configs/librispeech.toml
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// The folder to make
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Replace a value of the config; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

impl Export {
    /// Opens the corpus, plans every epoch, writes.
    pub fn run(&self) -> Result<(), Failure> {
        let experiment = open_experiment(&self.config, &self.sets)?;
        crate::export::export(&experiment, &self.out).map_err(Failure::Runtime)
    }
}
