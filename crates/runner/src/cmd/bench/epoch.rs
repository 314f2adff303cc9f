//! `padwise bench epoch`: what loading, counting and watching add to the bare training steps of an epoch.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use padwise_report::statistics::median;
use padwise_report::tables::{Style, TextTable};

use crate::bench::epoch_overhead::EpochOverhead;
use crate::bench::step_times::over_predicted;
use crate::cmd::open_experiment;
use crate::failure::Failure;

/// Every strategy's first epoch is trained in two ways, turn by turn: as `run` does, and from batches that lie ready in memory, with
/// nothing between the steps.
#[derive(Debug, Args)]
pub struct Epoch {
    /// The experiment, such as configs/quick.toml
    #[arg(value_name = "CONFIG", required_unless_present = "recorded")]
    config: Option<PathBuf>,
    /// Replace a value of the config; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Times that each way is timed
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Print one JSON object a line, with every round, instead of a table
    #[arg(long)]
    json: bool,
    /// Time nothing: print the table of what --json wrote
    #[arg(long, value_name = "FILE.jsonl", conflicts_with_all = ["config", "json"])]
    recorded: Option<PathBuf>,
}

impl Epoch {
    /// Times every strategy of the config, or reads what was timed.
    pub fn run(&self) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let all = match (&self.recorded, &self.config) {
            (Some(file), _) => read(file).map_err(Failure::usage)?,
            (None, Some(config)) => self.time(config, &mut out)?,
            // Refused by the arguments' own rules.
            (None, None) => Vec::new(),
        };
        if !self.json {
            writeln!(out, "{}", table(&all)).map_err(Failure::output)?;
        }
        Ok(())
    }

    fn time(&self, config: &Path, out: &mut impl Write) -> Result<Vec<EpochOverhead>, Failure> {
        let experiment = open_experiment(config, &self.sets)?;
        let mut all = Vec::new();
        for row in &experiment.config.strategy {
            let found =
                EpochOverhead::of(&experiment, row, self.rounds).map_err(Failure::Runtime)?;
            if self.json {
                let line = serde_json::to_string(&found).map_err(Failure::runtime)?;
                writeln!(out, "{line}").map_err(Failure::output)?;
            }
            all.push(found);
        }
        Ok(all)
    }
}

fn read(file: &Path) -> anyhow::Result<Vec<EpochOverhead>> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.lines()
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_str(line).with_context(|| {
                format!(
                    "{}, line {}: not a line of `padwise bench epoch --json`",
                    file.display(),
                    index + 1
                )
            })
        })
        .collect()
}

/// Medians of each strategy, and of all together.
fn table(all: &[EpochOverhead]) -> String {
    let mut table = TextTable::new([
        "strategy",
        "batches",
        "bare steps, s",
        "epoch, s",
        "longer by %",
        "wait %",
        "99 % of steps below, of predicted",
    ])
    .right_aligned(0..0);
    for found in all.iter().chain([&EpochOverhead::sum(all)]) {
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
    table.render(Style::Markdown)
}
