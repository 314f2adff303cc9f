//! `padwise bench`: timings of parts of training, one file each.

mod epoch;
mod step;

use clap::{Args, Subcommand, ValueEnum};

use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  padwise bench step --frames 300,700 --hidden 128,512
  padwise bench epoch configs/quick.toml";

/// Time training steps and epochs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Step(step::Step),
    Epoch(epoch::Epoch),
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for the terminal, with a legend
    Table,
    /// A table for a document
    Markdown,
    /// One object per line
    Json,
}

impl Bench {
    /// Runs the benchmark.
    pub fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Step(step) => step.run(),
            What::Epoch(epoch) => epoch.run(),
        }
    }
}
