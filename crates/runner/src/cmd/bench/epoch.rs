//! `padwise bench epoch`: what loading, counting and watching add to the bare training steps of an epoch.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use comfy_table::{Table, presets};

use crate::Failure;
use crate::config;
use crate::experiment::Experiment;
use crate::training::overhead::{Overhead, median};
use crate::training::step_times::over_predicted;

/// Every strategy's first epoch is trained in two ways, turn by turn: as `run` does, and from batches that lie ready in memory, with
/// nothing between the steps.
#[derive(Debug, Args)]
pub struct Epoch {
    /// The experiment, such as configs/quick.toml
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    /// Replace a value of the config; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Times that each way is timed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Print one JSON object a line, with every round, instead of a table
    #[arg(long)]
    json: bool,
}

impl Epoch {
    /// Times every strategy of the config.
    pub fn run(&self) -> Result<(), Failure> {
        let (config, rows) = config::read(&self.config, &self.sets).map_err(Failure::usage)?;
        let experiment = Experiment::open(config, rows, &self.config).map_err(Failure::usage)?;
        let experiment = experiment.ready().map_err(Failure::runtime)?;
        let mut out = io::stdout().lock();
        let mut all = Vec::new();
        for row in &experiment.rows {
            let found = Overhead::of(&experiment, row, self.rounds).map_err(Failure::Runtime)?;
            if self.json {
                let line = serde_json::to_string(&found).map_err(Failure::runtime)?;
                writeln!(out, "{line}").map_err(Failure::output)?;
            }
            all.push(found);
        }
        if !self.json {
            writeln!(out, "{}", table(&all)).map_err(Failure::output)?;
        }
        Ok(())
    }
}

/// Medians of each strategy, and of all together.
fn table(all: &[Overhead]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header([
        "strategy",
        "batches",
        "bare steps, s",
        "epoch, s",
        "longer by %",
        "wait %",
        "99 % of steps below, of predicted",
    ]);
    for found in all.iter().chain([&Overhead::together(all)]) {
        table.add_row([
            found.strategy.clone(),
            found.batches.to_string(),
            format!("{:.3}", median(&found.bare_seconds)),
            format!("{:.3}", median(&found.epoch_seconds)),
            format!("{:.2}", found.longer_percent()),
            format!("{:.2}", found.wait_percent()),
            over_predicted(&found.steps, 0.99)
                .map_or_else(String::new, |ratio| format!("{ratio:.2}")),
        ]);
    }
    table
}
