//! The subcommands, one file each.

pub mod analyze;
pub mod bench;
pub mod compare;
pub mod completions;
pub mod corpus;
pub mod decode;
mod decode_classes;
pub mod devices;
pub mod export;
pub mod figure;
pub mod man;
pub mod plan;
pub mod prepare;
mod recipe_args;
pub mod recommend;
pub mod report;
pub mod run;
mod target_args;

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use clap::{Parser, Subcommand};
use padwise_sampler::Strategy;
use padwise_sampler::excerpt::{excerpt, is_unprintable};

use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::terminal::legend;

const SEQUENCE: &str = "\
Typical sequence:
  padwise recommend --profile ljspeech      # which strategy to use
  padwise analyze --profile ljspeech        # padding and randomness
  padwise prepare AUDIO --out corpus.pack   # convert audio to a feature pack
  padwise corpus corpus.pack                # summarise the pack and check it
  padwise run config.toml --check           # does the largest batch fit?
  padwise run config.toml                   # train under every strategy
  padwise report results/NAME               # write tables, plots, report.html
  padwise compare results/A results/B       # is the second run worse?

Without data, try `padwise run configs/quick.toml`: it trains on a synthetic corpus.

Exit codes:
  0  success
  1  a check failed: `compare`, `corpus`, `report --check`, `run --check`
  2  wrong command line, config or input file
  3  failure at run time, or interrupted";

/// Compare batch-construction strategies for training on speech.
///
/// padwise trains one bidirectional-LSTM acoustic model under every strategy of a config. It reports throughput, memory, loss and
/// error rates of each.
#[derive(Debug, Parser)]
#[command(name = "padwise", version, max_term_width = 100, after_help = SEQUENCE)]
pub struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
#[allow(
    missing_docs,
    reason = "the help of a command is the documentation of its arguments"
)]
pub enum Command {
    Analyze(analyze::Analyze),
    Recommend(recommend::Recommend),
    Run(Box<run::Run>),
    Report(report::Report),
    Compare(compare::Compare),
    Prepare(prepare::Prepare),
    Corpus(corpus::CorpusCommand),
    Figure(figure::FigureCommand),
    Devices(devices::Devices),
    Decode(Box<decode::Decode>),
    Plan(plan::PlanCommand),
    Export(export::Export),
    Bench(bench::Bench),
    Completions(completions::Completions),
    Man(man::Man),
    /// Train a single run; `run` starts this process.
    #[command(hide = true)]
    Worker(WorkerArgs),
}

/// Arguments of the worker process.
#[derive(Debug, clap::Args)]
pub struct WorkerArgs {
    /// Be one of several MPI processes
    #[arg(long)]
    mpi: bool,

    /// Longest time without progress of another process, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    deadline: f64,
}

/// Runs a subcommand.
pub fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Analyze(analyze) => analyze.run(),
        Command::Recommend(recommend) => recommend.run(),
        Command::Figure(figure) => figure.run(),
        Command::Prepare(prepare) => prepare.run(),
        Command::Corpus(corpus) => corpus.run(),
        Command::Run(run) => run.run(),
        Command::Report(report) => report.run(),
        Command::Compare(compare) => compare.run(),
        Command::Devices(devices) => devices.run(),
        Command::Decode(decode) => decode.run(),
        Command::Plan(plan) => plan.run(),
        Command::Export(export) => export.run(),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
        Command::Bench(bench) => {
            crate::machine::kernel_cache::enable();
            bench.run()
        }
        Command::Worker(args) => {
            crate::machine::kernel_cache::enable();
            crate::worker::main(args.mpi.then_some(args.deadline)).map_err(Failure::Runtime)
        }
    }
}

/// Reads the strategy of an option.
fn parse_strategy(line: &str, batch_size: u32) -> Result<Strategy, Failure> {
    let line = line.trim();
    // The name is printed to the terminal, so it must not contain escape sequences.
    if line.contains(is_unprintable) {
        return Err(Failure::usage(anyhow::anyhow!(
            "--strategy {}: write it on one line, without control or invisible characters",
            excerpt(line)
        )));
    }
    Strategy::parse(line, batch_size)
        .with_context(|| format!("--strategy {}", excerpt(line)))
        .map_err(Failure::usage)
}

/// Checks that a file can be created, before the work that it is for.
fn check_writable(path: &Path) -> anyhow::Result<()> {
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    anyhow::ensure!(
        folder.is_dir(),
        "--out {}: the folder does not exist",
        path.display()
    );
    anyhow::ensure!(
        !path.is_dir(),
        "--out {}: a folder; pass the name of a file",
        path.display()
    );
    anyhow::ensure!(
        path.is_file() || !path.exists(),
        "--out {}: not a regular file; pass another name",
        path.display()
    );
    Ok(())
}

/// Opens the experiment of a config, with features normalised as for training.
fn open_experiment(file: &Path, sets: &[String]) -> Result<Experiment, Failure> {
    let config = padwise_experiment_config::read(file, sets).map_err(Failure::usage)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let experiment = Experiment::open(config, folder).map_err(Failure::usage)?;
    experiment.ready().map_err(Failure::runtime)
}

/// The end of a long help text: examples, then the columns of the command's table.
fn with_columns<T: AsRef<str>, U: AsRef<str>>(
    examples: &str,
    columns: impl IntoIterator<Item = (T, U)>,
) -> String {
    format!("{examples}\n\nColumns:\n{}", legend(columns).trim_end())
}

/// Prints the path of a file that was written. If standard output is closed, the command still writes its other files.
fn print_path(path: &Path) -> Result<(), Failure> {
    match print(&format!("{}\n", path.display())) {
        Err(Failure::OutputClosed) => Ok(()),
        printed => printed,
    }
}

/// Prints to standard output.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(Failure::output)
}
