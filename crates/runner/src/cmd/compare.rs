//! `padwise compare`: two runs of one experiment, for example on two machines, backends or commits.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use padwise_report::compare::{COLUMNS, Comparison, render};
use padwise_report::findings::Findings;
use padwise_report::record::Recorded;
use padwise_report::tables::Style;

use super::{print, with_columns};
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  padwise compare results/quick results/quick-2
  padwise compare results/before results/after --tolerance 0.02
  padwise compare results/before results/after --format json > comparison.json

Exit codes:
  0  no strategy is worse
  1  at least one strategy is worse
  2  a folder contains no run, or the runs have no strategy in common,
     another corpus or another objective";

/// Compare two recorded runs; exit 1 if the second is worse.
///
/// Compares speed, memory, loss and error rates of every strategy that both runs have. Both must have the same corpus and objective.
///
/// Better and worse mean: changed by more than --tolerance, and statistically significant across seeds. Same means: the whole 95 %
/// confidence interval of the change is within ± --tolerance, or all values are equal. Everything else is unclear: fewer than two
/// seeds, a wide interval, or a busy machine. The output says what to do about it. A run that diverged or failed only in the second
/// record is worse.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = with_columns(EXAMPLES, COLUMNS))]
pub struct Compare {
    /// Results folder of the first run, the reference
    #[arg(value_name = "A")]
    old: PathBuf,

    /// Results folder of the second run
    #[arg(value_name = "B")]
    new: PathBuf,

    /// Ignore relative changes within ± this fraction
    #[arg(long, value_name = "FRACTION", default_value = "0.05", value_parser = fraction)]
    tolerance: f64,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "table")]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A table for the terminal
    Table,
    /// A table for a document
    Markdown,
    /// One object with all numbers
    Json,
}

impl Compare {
    /// Reads both runs, compares them and prints the result.
    pub fn run(&self) -> Result<(), Failure> {
        let read = |folder: &Path| {
            let recorded = Recorded::open(folder).map_err(Failure::usage)?;
            Ok::<_, Failure>(Findings::of(recorded))
        };
        let (old, new) = (read(&self.old)?, read(&self.new)?);
        let comparison = Comparison::of(&old, &new, self.tolerance).map_err(Failure::usage)?;
        if comparison.compared.is_empty() {
            return Err(Failure::usage(anyhow!(
                "nothing to compare: {} and {} have no measured strategy in common",
                self.old.display(),
                self.new.display()
            )));
        }
        print(&match self.format {
            Format::Table => render(&comparison, Style::Terminal),
            Format::Markdown => render(&comparison, Style::Markdown),
            Format::Json => {
                let json = serde_json::to_string_pretty(&comparison);
                json.map_err(Failure::runtime)? + "\n"
            }
        })?;
        if comparison.is_worse() {
            return Err(Failure::Gate);
        }
        Ok(())
    }
}

fn fraction(text: &str) -> Result<f64, String> {
    let fraction: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..f64::INFINITY).contains(&fraction) {
        Ok(fraction)
    } else {
        Err("must be at least 0, for example 0.05 for 5 %".into())
    }
}
