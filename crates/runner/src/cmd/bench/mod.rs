//! `padwise bench`: timings of parts of training, one file each.

mod cost;
mod epoch;
mod step;
mod step_tables;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};

use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  padwise bench step --frames 300,700 --hidden 128,512
  padwise bench epoch configs/quick.toml
  padwise bench cost configs/quick.toml";

/// Time training steps and epochs, or measure a device's costs.
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
    Cost(Box<cost::Cost>),
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

/// A parser for one of several named values.
fn choice<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.iter().map(move |&value| name(value)));
    names.try_map(move |text| {
        let found = all.iter().copied().find(|&value| name(value) == text);
        found.ok_or("unknown name")
    })
}

impl Bench {
    /// Runs the benchmark.
    pub fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Step(step) => step.run(),
            What::Epoch(epoch) => epoch.run(),
            What::Cost(cost) => cost.run(),
        }
    }
}
