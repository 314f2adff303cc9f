//! Trains the runs of an experiment in a results folder.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use padwise_report::record::{EpochRow, check_rows};
use tracing::info;

use super::{Run, check, skipped};
use crate::coordinator::{Coordinator, WordDecoding, identify};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::process::Interrupt;
use crate::results_folder::{self, FolderChoice, RecordError, ResultsFolder, log};
use crate::terminal::{Progress, say};
use crate::words;

impl Run {
    /// Trains every run that is not finished and prints the table.
    pub(super) fn train(
        &self,
        experiment: &Experiment,
        prepared: Option<words::Prepared>,
        resolved: &str,
    ) -> Result<(), Failure> {
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
                // The second Ctrl-C. All files are complete.
                asked.end_worker();
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
        let words = match prepared {
            Some(prepared) => Some(start_words(experiment, prepared, &folder, &epochs)?),
            None => None,
        };
        let train = &experiment.config.train;
        let runs = experiment.config.strategy.len() * train.seeds.len();
        let total = train.epochs.saturating_mul(runs as u64);
        let progress = Progress::new(train.epochs, total, self.verbose);
        let mut coordinator = Coordinator {
            experiment,
            folder: &mut folder,
            identity,
            verified: !self.no_verify,
            epochs,
            progress: &progress,
            interrupt: &interrupt,
            words,
        };
        progress.skip(coordinator.epochs_done());
        let outcome = coordinator.run();
        progress.finish();
        let outcome = outcome.map_err(Failure::Runtime)?;
        let summary = coordinator.summarise().map_err(Failure::Runtime)?;
        self.report(experiment, &summary, &outcome, &path)
    }

    /// The results folder of a run to resume.
    pub(super) fn resumed_folder(&self, name: &str) -> PathBuf {
        let default = || Path::new("results").join(name);
        self.out.clone().unwrap_or_else(default)
    }

    /// The results folder. It contains no run, except to resume it.
    fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        if self.resume {
            return Ok(self.resumed_folder(name));
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
}

/// Says what the user should know about the lexicon and the language model, and starts the thread that decodes.
fn start_words(
    experiment: &Experiment,
    prepared: words::Prepared,
    folder: &ResultsFolder,
    epochs: &[EpochRow],
) -> Result<WordDecoding, Failure> {
    for note in &prepared.shared.recogniser.notes {
        say(format!("note: {note}"));
    }
    let recorded = folder.words(&experiment.config, epochs).map_err(recorded)?;
    WordDecoding::start(prepared, folder, &recorded).map_err(Failure::Usage)
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
