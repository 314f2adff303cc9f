//! `padwise export`: an experiment's utterances and batches as plain files, for other programs to train on.

use std::path::PathBuf;

use clap::Args;

use super::open_experiment;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  padwise export configs/quick.toml --out exported
  padwise export configs/quick.toml --set train.seeds=[1] --out exported
  python3 scripts/peer.py exported --out peer.csv    # train PyTorch on them";

/// Export features, labels and batches as plain files.
///
/// Other programs can then train on exactly the same batches. scripts/peer.py does so with PyTorch. A README.md in the folder documents
/// the files. To write batches without features, use `padwise plan`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Export {
    /// Config of the experiment, for example configs/librispeech.toml
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Folder to create; it must not exist yet
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Override a config value, for example train.epochs=2 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

impl Export {
    /// Opens the corpus, plans every epoch and writes the files.
    pub fn run(&self) -> Result<(), Failure> {
        let experiment = open_experiment(&self.config, &self.sets)?;
        crate::export::export(&experiment, &self.out).map_err(Failure::Runtime)
    }
}
