//! `padwise bench`: how long parts of training take, one file each.

mod epoch;
mod step;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// Time parts of training.
#[derive(Debug, Args)]
pub struct Bench {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// One training step on random utterances of equal lengths: forward, loss, backward, Adam.
    Step(step::Step),
    /// An epoch as `run` trains it, beside the same steps and nothing else.
    Epoch(epoch::Epoch),
}

impl Bench {
    /// Times what was asked for.
    pub fn run(&self) -> Result<(), Failure> {
        match &self.what {
            What::Step(step) => step.run(),
            What::Epoch(epoch) => epoch.run(),
        }
    }
}
