//! `padwise run`: trains every strategy of a config and prints the results.

mod check;
mod command_line;
mod ranks;
mod results;
mod skipped;
mod states;
mod table;
mod training;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use padwise_experiment_config as config;
use padwise_model::backend;

use self::table::all_columns;
use super::{print, with_columns};
use crate::corpora::verify;
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::forecast::ForecastTable;
use crate::process::mpirun;
use crate::terminal::legend;
use crate::words;

const EXAMPLES: &str = "\
Examples:
  padwise run configs/quick.toml
  padwise run configs/librispeech.toml --check
  padwise run configs/quick.toml --set train.epochs=1 --out results/test
  padwise run configs/quick.toml --resume

Exit codes:
  0  all runs finished (a diverged run is recorded and counts as finished)
  1  with --check: a batch does not fit
  2  the config, the corpus or the command line is wrong
  3  a run failed, or was interrupted";

/// Train under every strategy of a config and print the results.
///
/// Writes plain files to results/NAME as it trains. Ctrl-C stops after the current batch. --resume continues from there, or from
/// the last epoch if the process was killed. The results are the same as without the interruption.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = long_help())]
pub struct Run {
    /// Config of the experiment, for example configs/quick.toml
    #[arg(value_name = "CONFIG", required_unless_present = "schema")]
    config: Option<PathBuf>,

    /// Override a config value, for example train.epochs=2 or strategy.0.line=sorted (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,

    /// Check only: plan every strategy and try one step on its largest batch
    ///
    /// Prints batches, padding, memory and estimated time of each strategy. Exit 1 if a batch does not fit.
    #[arg(long)]
    check: bool,

    /// Print the config with all defaults filled in, then exit
    #[arg(long, conflicts_with = "check")]
    dry_run: bool,

    /// Results folder [default: results/NAME, or results/NAME-2 and so on if that contains a finished run]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Resume the run in the results folder
    #[arg(long)]
    resume: bool,

    /// Do not verify the checksums of corpus files, nor search them for NaN; the record says so
    #[arg(long)]
    no_verify: bool,

    /// Train even if a batch needs more memory than is free, by the estimate
    #[arg(long, conflicts_with = "check")]
    force: bool,

    /// Show all columns of the table [default: those that fit 100 characters]
    #[arg(long)]
    wide: bool,

    /// Print the log instead of progress bars; log.txt in the results folder always has it
    #[arg(long, short)]
    verbose: bool,

    /// Print the JSON schema of configs, for editors, then exit
    #[arg(long, exclusive = true)]
    schema: bool,
}

impl Run {
    /// Reads the config, checks it, trains and prints the table.
    pub fn run(&self) -> Result<(), Failure> {
        if self.schema {
            return print(&(config::schema() + "\n"));
        }
        let file = self.config.as_deref().unwrap_or(Path::new(""));
        let config = config::read(file, &self.sets).map_err(Failure::usage)?;
        let written = |text: Result<String, _>| {
            text.context("cannot write the resolved config")
                .map_err(Failure::Runtime)
        };
        if self.dry_run {
            return print(&written(config.to_complete_toml())?);
        }
        if let Some(code) = ranks::run(&config)? {
            std::process::exit(code);
        }
        let resolved = written(config.to_toml())?;
        let named = |error: anyhow::Error| error.context(file.display().to_string());
        let folder = file.parent().unwrap_or(Path::new(""));
        let experiment = Experiment::open(config, folder)
            .map_err(|error| Failure::Usage(named(error.into())))?;
        skipped::report(&experiment.split.too_short);
        backend::check(experiment.config.train.backend, &experiment.trainer(0))
            .map_err(|error| Failure::Usage(named(error.into())))?;
        mpirun::check(&experiment.config).map_err(|error| Failure::Usage(named(error)))?;
        if !self.no_verify {
            let packs = experiment.split.packs.iter();
            verify(packs.map(AsRef::as_ref))
                .map_err(|error| Failure::Usage(named(error.into())))?;
        }
        let experiment = self
            .with_states(experiment)
            .map_err(|failure| match failure {
                Failure::Usage(error) => Failure::Usage(named(error)),
                other => other,
            })?;
        // Before the results folder is created: a wrong lexicon or language model ends the command.
        let words = words::prepare(&experiment).map_err(Failure::usage)?;
        let checked = if self.check {
            check::check(&experiment, self.wide)
        } else {
            check::plan(&experiment, self.force)
        };
        checked.map_err(|failure| match failure {
            Failure::Usage(error) => Failure::Usage(named(error)),
            other => other,
        })?;
        if self.check {
            return Ok(());
        }
        self.train(&experiment, words, &resolved)
    }
}

/// Examples and the columns of both tables, for `--help`.
fn long_help() -> String {
    let check = legend(ForecastTable::new(&[], &[], &[], true).legend);
    format!(
        "{}\n\nColumns of --check:\n{}",
        with_columns(EXAMPLES, all_columns()),
        check.trim_end()
    )
}
