//! `padwise run`: from a TOML experiment to a table.

mod check;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use padwise_experiment_config as config;
use padwise_model::backend;
use padwise_report::record::Summary;
use padwise_report::tables::{Style, SummaryWidth, summary_table};
use tracing::info;

use crate::coordinator::{Coordinator, Outcome};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::process::Interrupt;
use crate::results_folder::{self, FolderChoice, RecordError, ResultsFolder};
use crate::terminal::{Progress, log};

/// Train under every strategy of a config and print the table.
///
/// Results are plain files in results/NAME, written as they come. A run that was stopped goes on from its last batch with --resume, one
/// that was killed from its last finished epoch, and both end with the numbers of one that was not.
#[derive(Debug, Args)]
pub struct Run {
    /// The experiment, such as configs/quick.toml
    #[arg(value_name = "CONFIG", required_unless_present = "schema")]
    config: Option<PathBuf>,

    /// Replace a value of the config, such as train.epochs=2 or strategy.0.line=sorted; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,

    /// Open the corpus, plan every strategy, estimate its memory and try its largest batch, but train nothing
    #[arg(long)]
    check: bool,

    /// Print the config with everything filled in, and do nothing
    #[arg(long, conflicts_with = "check")]
    dry_run: bool,

    /// The folder of results [default: results/NAME, or results/NAME-2 and so on where that holds a finished run]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,

    /// Go on with the run in the folder of results
    #[arg(long)]
    resume: bool,

    /// Show the log on the screen instead of progress bars; it is in log.txt beside the results anyway
    #[arg(long, short)]
    verbose: bool,

    /// Print the JSON schema of configs, for editors
    #[arg(long, exclusive = true)]
    schema: bool,
}

impl Run {
    /// Reads, checks, trains, prints.
    pub fn run(&self) -> Result<(), Failure> {
        if self.schema {
            return print(&(config::schema() + "\n"));
        }
        let file = self.config.as_deref().unwrap_or(Path::new(""));
        let config = config::read(file, &self.sets).map_err(Failure::usage)?;
        let resolved = config
            .to_toml()
            .context("cannot write the resolved config")
            .map_err(Failure::Runtime)?;
        if self.dry_run {
            return print(&resolved);
        }
        let named = |error: anyhow::Error| error.context(file.display().to_string());
        let folder = file.parent().unwrap_or(Path::new(""));
        let experiment = Experiment::open(config, folder)
            .map_err(|error| Failure::Usage(named(error.into())))?;
        backend::resolve(experiment.config.train.backend)
            .map_err(|error| Failure::Usage(named(error.into())))?;
        let looked = if self.check {
            check::check(&experiment)
        } else {
            check::plan(&experiment)
        };
        looked.map_err(|failure| match failure {
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
        log::begin(&path, self.verbose)
            .with_context(|| format!("cannot write {}", path.join("log.txt").display()))
            .map_err(Failure::Runtime)?;
        info!(config = ?self.config, sets = ?self.sets, resume = self.resume, "padwise run");
        let interrupt = Interrupt::default();
        let asked = interrupt.clone();
        ctrlc::set_handler(move || {
            if asked.ask() {
                // Asked twice: the worker ends with us, and what is on the disk is whole.
                std::process::exit(3);
            }
            eprintln!("padwise: finishing the batch; once more to end at once");
        })
        .map_err(Failure::runtime)?;
        learn_normalisation(experiment, &folder).map_err(Failure::Runtime)?;
        let train = &experiment.config.train;
        let total = train.epochs * (experiment.config.strategy.len() * train.seeds.len()) as u64;
        let progress = Progress::new(total, 0, self.verbose);
        let mut coordinator = Coordinator {
            experiment,
            folder: &mut folder,
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

    /// The folder of results, which holds no run unless one is to go on.
    fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        if self.resume {
            let default = || Path::new("results").join(name);
            return Ok(self.out.clone().unwrap_or_else(default));
        }
        match results_folder::choose(self.out.as_deref(), name) {
            FolderChoice::Here(path) => Ok(path),
            FolderChoice::Beside(taken, holds, path) => {
                let (taken, here) = (taken.display(), path.display());
                eprintln!("padwise: {taken} holds {holds}; this run goes to {here}");
                Ok(path)
            }
            FolderChoice::Refuse(taken, free) => Err(Failure::Usage(anyhow!(
                "{} holds other files, and a run has a folder of its own:\n  {}",
                taken.display(),
                self.command(&free, false),
            ))),
            FolderChoice::Ask(taken, free) => Err(Failure::Usage(anyhow!(
                "{} already holds a run, and runs are not mixed. To go on with it:\n  {}\nTo begin another:\n  {}",
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
            print(&format!("{}\n", experiment.config.title))?;
        }
        let rows = &experiment.config.strategy;
        let table = summary_table(summary, rows, SummaryWidth::Wide).render(Style::Terminal);
        print(&(table + "\n"))?;
        print(&explain(experiment, summary, path))?;
        let go_on = self.command(path, true);
        if outcome.interrupted {
            let place = outcome.place.as_deref();
            return Err(Failure::Runtime(anyhow!(
                "interrupted{}; everything is in {}: go on with\n  {go_on}",
                place
                    .map(|place| format!(" in {place}"))
                    .unwrap_or_default(),
                path.display(),
            )));
        }
        if !outcome.failed.is_empty() {
            return Err(Failure::Runtime(anyhow!(
                "{} of the runs failed, the others are in the table:\n  {}\ntry them again with\n  {go_on}",
                outcome.failed.len(),
                outcome.failed.join("\n  ")
            )));
        }
        Ok(())
    }

    /// This command with a folder, to begin there or to go on, as it can be typed where this one was.
    fn command(&self, folder: &Path, resume: bool) -> String {
        let program = std::env::args_os().next().map(PathBuf::from);
        let program = quoted(program.as_deref().unwrap_or(Path::new("padwise")));
        let mut words = vec![program, "run".to_owned()];
        words.extend(self.config.as_deref().map(quoted));
        for set in &self.sets {
            words.extend(["--set".to_owned(), quoted(Path::new(set))]);
        }
        words.extend(["--out".to_owned(), quoted(folder)]);
        if resume {
            words.push("--resume".into());
        }
        words.join(" ")
    }
}

/// As a shell reads it.
fn quoted(text: &Path) -> String {
    let text = text.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Failure::output)
}

fn recorded(error: RecordError) -> Failure {
    if error.is_usage() {
        Failure::usage(error)
    } else {
        Failure::runtime(error)
    }
}

/// Normalisation is learnt once and read by every worker; what is there was learnt from the same config.
fn learn_normalisation(experiment: &Experiment, folder: &ResultsFolder) -> anyhow::Result<()> {
    const NAME: &str = "normalisation.json";
    if folder.path().join(NAME).exists() {
        return Ok(());
    }
    let statistics = experiment.statistics()?;
    Ok(folder.replace(NAME, &serde_json::to_vec(&statistics)?)?)
}

/// What the columns mean, for people; whoever pipes the table on gets the table and where the rest is.
fn explain(experiment: &Experiment, summary: &Summary, path: &Path) -> String {
    let train = &experiment.config.train;
    let mut text = format!(
        "{} epoch{}, {} seed{}; everything that was measured is in {}.\n",
        train.epochs,
        if train.epochs == 1 { "" } else { "s" },
        train.seeds.len(),
        if train.seeds.len() == 1 { "" } else { "s" },
        path.display(),
    );
    if !io::stdout().is_terminal() {
        return text;
    }
    text += "utt/s, frames/s, padded/s: utterances, frames without and with padding, by training time. wait: for the loader. GB: memory that training took, in a process of its own. ";
    text += "loss, FER: validation loss and wrong frames. ";
    text += if experiment.split.phones {
        "PER: errors in the phones of greedy decoding. "
    } else {
        "PER: errors in the classes of greedy decoding. "
    };
    if summary.target_loss.is_some() {
        text += "s to: training time until the validation loss was that low. ";
    }
    text + "±: 95 % interval over seeds.\n"
}
