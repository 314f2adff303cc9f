//! The subcommands, one file each.

pub mod analyze;
pub mod bench;
pub mod compare;
pub mod corpus;
pub mod devices;
pub mod export;
pub mod figure;
pub mod prepare;
mod recipe_args;
pub mod report;
pub mod run;

use std::path::Path;

use clap::Subcommand;

use crate::experiment::Experiment;
use crate::failure::Failure;

/// What can be asked.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Train under every strategy of a config and print the table.
    Run(Box<run::Run>),
    /// Make tables, plots and a page from recorded runs, or fill documents with their numbers.
    Report(report::Report),
    /// Compare two recorded runs, and exit with 1 when the second is worse.
    Compare(compare::Compare),
    /// Say what each strategy does to a corpus: padding, memory, randomness. Trains nothing, needs no GPU.
    Analyze(analyze::Analyze),
    /// Draw the papers' figures from any lengths, as SVG and PNG.
    Figure(figure::FigureCommand),
    /// Turn audio, or features that others computed, into one packed file to train from.
    Prepare(prepare::Prepare),
    /// Count a corpus: hours, lengths, speakers, class balance, and a few checks.
    Corpus(corpus::CorpusCommand),
    /// Say which backends this build has and which devices they find.
    Devices(devices::Devices),
    /// Write an experiment's features, labels and batches as plain files, for other programs to train on.
    Export(export::Export),
    /// Time a training step: shapes, precisions, recurrences, backends.
    Bench(bench::Bench),
    /// The process of a single run, which `run` starts.
    #[command(hide = true)]
    Worker,
}

/// Does what was asked.
pub fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Analyze(analyze) => analyze.run(),
        Command::Figure(figure) => figure.run(),
        Command::Prepare(prepare) => prepare.run(),
        Command::Corpus(corpus) => corpus.run(),
        Command::Run(run) => run.run(),
        Command::Report(report) => report.run(),
        Command::Compare(compare) => compare.run(),
        Command::Devices(devices) => devices.run(),
        Command::Export(export) => export.run(),
        Command::Bench(bench) => {
            crate::machine::kernel_cache::enable();
            bench.run()
        }
        Command::Worker => {
            crate::machine::kernel_cache::enable();
            crate::worker::main().map_err(Failure::Runtime)
        }
    }
}

/// Opens the experiment of a config, its frames normalised as a run trains on them.
fn open_experiment(file: &Path, sets: &[String]) -> Result<Experiment, Failure> {
    let config = padwise_experiment_config::read(file, sets).map_err(Failure::usage)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let experiment = Experiment::open(config, folder).map_err(Failure::usage)?;
    experiment.ready().map_err(Failure::runtime)
}
