//! `padwise bench epoch`: the time that loading and bookkeeping add to the bare training steps of an epoch.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use padwise_features::files::read_text;
use padwise_report::statistics::median;
use padwise_report::tables::{Style, TextTable};
use padwise_report::text::with_thousands;

use super::Format;
use crate::bench::epoch_overhead::EpochOverhead;
use crate::bench::step_times::over_predicted;
use crate::cmd::{open_experiment, print, with_columns};
use crate::failure::Failure;
use crate::terminal::{legend, render_table};

const EXAMPLES: &str = "\
Examples:
  padwise bench epoch configs/quick.toml
  padwise bench epoch configs/quick.toml --rounds 15 --json > quick.jsonl
  padwise bench epoch --recorded quick.jsonl --format markdown > quick.md";

/// Maximum size of a --json output in bytes.
const LARGEST_RECORD: u64 = 256 << 20;

/// Compare a full epoch with its bare training steps.
///
/// Trains the first epoch of every strategy in two ways, alternately: as `run` does, and as bare steps on batches that are already
/// in memory. The difference is the cost of loading and bookkeeping.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = with_columns(EXAMPLES, LEGEND))]
pub struct Epoch {
    /// Config of the experiment, for example configs/quick.toml
    #[arg(value_name = "CONFIG", required_unless_present = "recorded")]
    config: Option<PathBuf>,
    /// Override a config value, for example train.batch-size=32 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Number of timed rounds; each times an epoch and its bare steps
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: u32,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Same as --format json: one object per strategy, with every round
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Print the table of an earlier --json output instead of timing
    #[arg(long, value_name = "FILE.jsonl", conflicts_with_all = ["config", "json"])]
    recorded: Option<PathBuf>,
}

impl Epoch {
    /// Times every strategy of the config, or reads recorded times, and prints them.
    pub fn run(&self) -> Result<(), Failure> {
        let format = if self.json { Format::Json } else { self.format };
        let all = match (&self.recorded, &self.config) {
            (Some(file), _) => read(file).map_err(Failure::usage)?,
            (None, Some(config)) => self.time(config, format)?,
            // The argument parser excludes this.
            (None, None) => Vec::new(),
        };
        match format {
            Format::Table => print(&format!(
                "{}\n\nMedians over rounds.\n\n{}",
                render_table(&table(&all)),
                legend(LEGEND)
            )),
            Format::Markdown => print(&(table(&all).render(Style::Markdown) + "\n")),
            Format::Json if self.recorded.is_some() => all.iter().try_for_each(print_json),
            // Printed after each strategy.
            Format::Json => Ok(()),
        }
    }

    fn time(&self, config: &Path, format: Format) -> Result<Vec<EpochOverhead>, Failure> {
        let experiment = open_experiment(config, &self.sets)?;
        let mut all = Vec::new();
        for row in &experiment.config.strategy {
            let found =
                EpochOverhead::of(&experiment, row, self.rounds).map_err(Failure::Runtime)?;
            if format == Format::Json {
                print_json(&found)?;
            }
            all.push(found);
        }
        Ok(all)
    }
}

fn print_json(found: &EpochOverhead) -> Result<(), Failure> {
    let line = serde_json::to_string(found).map_err(Failure::runtime)?;
    print(&(line + "\n"))
}

fn read(file: &Path) -> anyhow::Result<Vec<EpochOverhead>> {
    let text = read_text(file, LARGEST_RECORD)?;
    text.lines()
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_str(line).with_context(|| {
                format!(
                    "{}:{}: not a line of `padwise bench epoch --json`",
                    file.display(),
                    index + 1
                )
            })
        })
        .collect()
}

const LEGEND: [(&str, &str); 6] = [
    ("batches", "batches per epoch"),
    (
        "steps, s",
        "bare training steps on batches in memory, seconds",
    ),
    ("epoch, s", "the same epoch as `run` trains it, seconds"),
    (
        "overhead %",
        "how much longer the epoch takes than its steps",
    ),
    (
        "wait %",
        "share of the epoch spent waiting for the data loader",
    ),
    (
        "p99 / predicted",
        "99th percentile of step time / time predicted from padded frames",
    ),
];

/// One row per strategy, and one for all together.
fn table(all: &[EpochOverhead]) -> TextTable {
    let titles = LEGEND.iter().map(|&(title, _)| title);
    let mut table = TextTable::new(std::iter::once("strategy").chain(titles));
    for found in all.iter().chain([&EpochOverhead::sum(all)]) {
        table.add_row([
            found.strategy.clone(),
            with_thousands(&found.batches.to_string()),
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
