//! `padwise run`: from a TOML experiment to a table.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use padwise_model::BackendChoice;
use tracing::info;

use crate::Failure;
use crate::config::{self, RunConfig};
use crate::experiment::{Experiment, forecast_table};
use crate::record::{Folder, RecordError, Summary};
use crate::screen::{Progress, log, table};
use crate::training::coordinator::Coordinator;
use crate::training::{Interrupt, Outcome};

/// Train under every strategy of a config and print the table.
///
/// Results are plain files in results/NAME, written as they come. A run that was stopped or killed goes on from its last
/// finished epoch with --resume, and ends with the numbers of one that was not.
#[derive(Debug, Args)]
pub struct Run {
    /// The experiment, such as configs/quick.toml
    #[arg(value_name = "CONFIG", required_unless_present = "schema")]
    config: Option<PathBuf>,

    /// Replace a value of the config, such as train.epochs=2 or strategy.0.line=sorted; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,

    /// Open the corpus, plan every strategy and estimate its memory, but train nothing
    #[arg(long)]
    check: bool,

    /// Print the config with everything filled in, and do nothing
    #[arg(long, conflicts_with = "check")]
    dry_run: bool,

    /// The folder of results [default: results/NAME]
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
        let (config, rows) = config::read(file, &self.sets).map_err(Failure::usage)?;
        let resolved = toml::to_string(&config)
            .context("cannot write the resolved config")
            .map_err(Failure::Runtime)?;
        if self.dry_run {
            return print(&resolved);
        }
        let named = |error: anyhow::Error| error.context(file.display().to_string());
        let experiment = Experiment::open(config, rows, file)
            .map_err(|error| Failure::Usage(named(error.into())))?;
        experiment
            .config
            .train
            .backend
            .resolve()
            .map_err(|error| Failure::Usage(named(error.into())))?;
        self.check(&experiment).map_err(|failure| match failure {
            Failure::Usage(error) => Failure::Usage(named(error)),
            other => other,
        })?;
        if self.check {
            return Ok(());
        }
        self.train(&experiment, &resolved)
    }

    /// Plans every strategy; with `--check`, says what was found.
    fn check(&self, experiment: &Experiment) -> Result<(), Failure> {
        let mut forecasts = Vec::new();
        for (index, row) in experiment.rows.iter().enumerate() {
            let forecast = experiment.forecast(index).map_err(|error| {
                Failure::Usage(
                    anyhow::Error::new(error).context(format!("strategy `{}`", row.name)),
                )
            })?;
            if forecast.stats.iter().any(|stats| stats.batches == 0) {
                return Err(Failure::usage(anyhow!(
                    "strategy `{}` makes no batch of this corpus: everything is dropped",
                    row.name
                )));
            }
            forecasts.push(forecast);
        }
        let memory = experiment.memory();
        let problems: Vec<String> = forecasts
            .iter()
            .filter_map(|forecast| {
                let problem = experiment.too_large(&forecast.largest, memory?)?;
                Some(format!("{}: {problem}", forecast.name))
            })
            .collect();
        if self.check {
            let device = experiment.config.train.backend;
            print(&format!(
                "{}\n{}\n",
                forecast_table(&forecasts),
                about(experiment, device, memory)
            ))?;
        }
        for problem in &problems {
            eprintln!("padwise: {problem}");
        }
        // Without --check it is tried all the same: an estimate is no refusal.
        if self.check && !problems.is_empty() {
            return Err(Failure::Gate);
        }
        Ok(())
    }

    fn train(&self, experiment: &Experiment, resolved: &str) -> Result<(), Failure> {
        let path = self
            .out
            .clone()
            .unwrap_or_else(|| Path::new("results").join(&experiment.config.name));
        let (mut folder, epochs) = Folder::open(&path, resolved, self.resume).map_err(recorded)?;
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
        let total = train.epochs * (experiment.rows.len() * train.seeds.len()) as u64;
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
        print(&(table::for_terminal(summary, &experiment.rows) + "\n"))?;
        print(&explain(experiment, summary, path))?;
        if outcome.interrupted {
            return Err(Failure::Runtime(anyhow!(
                "interrupted; every finished epoch is in {}: go on with\n  {}",
                path.display(),
                self.resume_command()
            )));
        }
        if !outcome.failed.is_empty() {
            return Err(Failure::Runtime(anyhow!(
                "{} of the runs failed, the others are in the table; try them again with --resume\n  {}",
                outcome.failed.len(),
                outcome.failed.join("\n  ")
            )));
        }
        Ok(())
    }

    /// The command that goes on where this one stopped.
    fn resume_command(&self) -> String {
        let quoted = |text: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,".contains(c);
            if !text.is_empty() && text.chars().all(plain) {
                text.to_owned()
            } else {
                format!("'{}'", text.replace('\'', "'\\''"))
            }
        };
        let file = self.config.as_deref().unwrap_or(Path::new(""));
        let mut command = format!("padwise run {}", quoted(&file.display().to_string()));
        for set in &self.sets {
            command += &format!(" --set {}", quoted(set));
        }
        if let Some(out) = &self.out {
            command += &format!(" --out {}", quoted(&out.display().to_string()));
        }
        command + " --resume"
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
fn learn_normalisation(experiment: &Experiment, folder: &Folder) -> anyhow::Result<()> {
    const NAME: &str = "normalisation.json";
    if folder.path().join(NAME).exists() {
        return Ok(());
    }
    let normalisation = experiment.config.features.normalisation;
    let statistics = experiment.split.statistics(normalisation)?;
    Ok(folder.replace(NAME, &serde_json::to_vec(&statistics)?)?)
}

/// What the corpus, the model and the device are.
fn about(experiment: &Experiment, backend: BackendChoice, memory: Option<u64>) -> String {
    let split = &experiment.split;
    let model = experiment.model();
    let found = BackendChoice::all();
    let resolved = backend.resolve().unwrap_or(backend);
    let device = found
        .iter()
        .find(|found| found.backend == resolved)
        .and_then(|found| found.device.clone().ok())
        .unwrap_or_default();
    let memory = memory
        .map(|bytes| format!(", {:.2} GB free", bytes as f64 / 1e9))
        .unwrap_or_default();
    format!(
        "{} utterances to train on, {} to validate on; {} inputs, {} classes, {} parameters; {} ({device}{memory}). Needs are estimates from shapes.",
        split.training.len(),
        split.validation.len(),
        model.inputs,
        model.classes,
        model.parameter_count(),
        resolved.name(),
    )
}

/// What the columns mean, for people; whoever pipes the table on gets the table and where the rest is.
fn explain(experiment: &Experiment, summary: &Summary, path: &Path) -> String {
    let RunConfig { train, .. } = &experiment.config;
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
