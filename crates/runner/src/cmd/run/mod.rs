//! `padwise run`: trains every strategy of a config and prints the results.

mod check;
mod skipped;
mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use padwise_experiment_config as config;
use padwise_model::backend;
use padwise_report::record::{Summary, check_rows};
use tracing::info;

use self::table::{all_columns, meanings, result_table};
use super::{print, with_columns};
use crate::coordinator::{Coordinator, Outcome, identify};
use crate::corpora::verify;
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::forecast::ForecastTable;
use crate::process::Interrupt;
use crate::results_folder::{self, FolderChoice, RecordError, ResultsFolder};
use crate::terminal::{Progress, count, legend, log, render_table, say};

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
    /// Prints batches, padding and memory of each strategy. Exit 1 if a batch does not fit.
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
        let resolved = written(config.to_toml())?;
        let named = |error: anyhow::Error| error.context(file.display().to_string());
        let folder = file.parent().unwrap_or(Path::new(""));
        let experiment = Experiment::open(config, folder)
            .map_err(|error| Failure::Usage(named(error.into())))?;
        skipped::report(&experiment.split.too_short);
        backend::check(experiment.config.train.backend, &experiment.trainer(0))
            .map_err(|error| Failure::Usage(named(error.into())))?;
        if !self.no_verify {
            let packs = experiment.split.packs.iter();
            verify(packs.map(AsRef::as_ref))
                .map_err(|error| Failure::Usage(named(error.into())))?;
        }
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
        self.train(&experiment, &resolved)
    }

    fn train(&self, experiment: &Experiment, resolved: &str) -> Result<(), Failure> {
        let path = self.folder(&experiment.config.name)?;
        let (mut folder, epochs) =
            ResultsFolder::open(&path, resolved, self.resume).map_err(recorded)?;
        check_rows(&path.join("epochs.csv"), &epochs, &experiment.config)
            .map_err(|error| recorded(error.into()))?;
        log::begin(&path, self.verbose)
            .with_context(|| format!("cannot write {}", path.join("log.txt").display()))
            .map_err(Failure::Runtime)?;
        info!(config = ?self.config, sets = ?self.sets, resume = self.resume, "padwise run");
        skipped::log(&experiment.split.too_short);
        if let Some(speakers) = check::validation_speakers(experiment) {
            say(format!("validation speakers: {speakers}"));
        }
        let interrupt = Interrupt::default();
        let asked = interrupt.clone();
        ctrlc::set_handler(move || {
            if asked.ask() {
                // The second Ctrl-C: the worker ends with this process, and all files are complete.
                std::process::exit(3);
            }
            say("finishing the current batch; press Ctrl-C again to stop now");
        })
        .map_err(Failure::runtime)?;
        if self.resume {
            note_version(&folder).map_err(recorded)?;
        }
        let identity = identify(experiment, resolved, &folder, !epochs.is_empty()).map_err(
            |error| match error.downcast::<RecordError>() {
                Ok(error) => recorded(error),
                Err(error) => Failure::Runtime(error),
            },
        )?;
        let train = &experiment.config.train;
        let runs = experiment.config.strategy.len() * train.seeds.len();
        let total = train.epochs.saturating_mul(runs as u64);
        let progress = Progress::new(total, 0, self.verbose);
        let mut coordinator = Coordinator {
            experiment,
            folder: &mut folder,
            identity,
            verified: !self.no_verify,
            epochs,
            progress: &progress,
            interrupt: &interrupt,
        };
        progress.epochs_done(coordinator.epochs_done());
        let outcome = coordinator.run();
        progress.finish();
        let outcome = outcome.map_err(Failure::Runtime)?;
        let summary = coordinator.summarise().map_err(Failure::Runtime)?;
        self.report(experiment, &summary, &outcome, &path)
    }

    /// The results folder. It contains no run, except to resume it.
    fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        if self.resume {
            let default = || Path::new("results").join(name);
            return Ok(self.out.clone().unwrap_or_else(default));
        }
        match results_folder::choose(self.out.as_deref(), name) {
            FolderChoice::Here(path) => Ok(path),
            FolderChoice::Beside(taken, holds, path) => {
                let (taken, here) = (taken.display(), path.display());
                say(format!("{taken} contains {holds}; writing to {here}"));
                Ok(path)
            }
            FolderChoice::Refuse(taken, free) => Err(Failure::Usage(anyhow!(
                "{} contains other files. To use a new folder:\n  {}",
                taken.display(),
                self.command(&free, false),
            ))),
            FolderChoice::Ask(taken, free) => Err(Failure::Usage(anyhow!(
                "{} already contains a run. To resume it:\n  {}\nTo start another:\n  {}",
                taken.display(),
                self.command(&taken, true),
                self.command(&free, false),
            ))),
        }
    }

    fn report(
        &self,
        experiment: &Experiment,
        summary: &Summary,
        outcome: &Outcome,
        path: &Path,
    ) -> Result<(), Failure> {
        if !experiment.config.title.is_empty() {
            print(&format!("{}\n\n", experiment.config.title))?;
        }
        let table = result_table(summary, &experiment.config.strategy, self.wide);
        print(&format!("{}\n\n", render_table(&table)))?;
        print(&explain(experiment, path, &meanings(&table)))?;
        if !self.wide {
            print("\n--wide shows all columns.\n")?;
        }
        let resume = self.command(path, true);
        if outcome.interrupted {
            let place = outcome.place.as_deref();
            return Err(Failure::Runtime(anyhow!(
                "interrupted{}; results so far are in {}. To resume:\n  {resume}",
                place
                    .map(|place| format!(" in {place}"))
                    .unwrap_or_default(),
                path.display(),
            )));
        }
        if !outcome.failed.is_empty() {
            return Err(Failure::Runtime(anyhow!(
                "{} failed:\n  {}\nThe table shows the others. To retry:\n  {resume}",
                count(outcome.failed.len(), "run"),
                outcome.failed.join("\n  ")
            )));
        }
        Ok(())
    }

    /// This command line with another results folder, quoted for a shell.
    fn command(&self, folder: &Path, resume: bool) -> String {
        let program = std::env::args_os().next().map(PathBuf::from);
        let program = quoted(program.as_deref().unwrap_or(Path::new("padwise")));
        let mut words = vec![program, "run".to_owned()];
        words.extend(self.config.as_deref().map(quoted));
        for set in &self.sets {
            words.extend(["--set".to_owned(), quoted(Path::new(set))]);
        }
        words.extend(["--out".to_owned(), quoted(folder)]);
        for (passed, option) in [(self.no_verify, "--no-verify"), (self.force, "--force")] {
            words.extend(passed.then(|| option.to_owned()));
        }
        if resume {
            words.push("--resume".into());
        }
        words.join(" ")
    }
}

/// Quotes a word for a shell.
fn quoted(text: &Path) -> String {
    let text = text.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

fn recorded(error: RecordError) -> Failure {
    if error.is_usage() {
        Failure::usage(error)
    } else {
        Failure::runtime(error)
    }
}

/// Says if another version of padwise recorded the earlier epochs. `environment.json` lists all versions.
fn note_version(folder: &ResultsFolder) -> Result<(), RecordError> {
    let environments = folder.environments()?;
    let earlier = environments.last().map(|last| last["padwise"].to_string());
    let this = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
    if let Some(earlier) = earlier.filter(|earlier| *earlier != this) {
        let earlier = earlier.trim_matches('"').escape_debug();
        say(format!(
            "note: padwise {earlier} recorded the earlier epochs; this is {this}"
        ));
    }
    Ok(())
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

/// The path of the results and the legend.
fn explain(experiment: &Experiment, path: &Path, meanings: &[(String, String)]) -> String {
    let train = &experiment.config.train;
    let meanings = meanings.iter().map(|(title, meaning)| (title, meaning));
    format!(
        "{}, {}. Results folder: {}\n\n{}",
        count(train.epochs, "epoch"),
        count(train.seeds.len(), "seed"),
        path.display(),
        legend(meanings),
    )
}
