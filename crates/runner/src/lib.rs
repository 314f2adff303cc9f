//! The `padwise` command: compares batching strategies on your corpus and your hardware.
//!
//! [`cmd`] has one module per subcommand. A subcommand reads its input ([`lengths`], [`corpora`]), computes ([`analysis`],
//! [`figures`], [`plan_files`]) and prints or draws the result.
//!
//! `run` reads a config, opens the [`experiment`] and estimates its memory ([`mod@forecast`]). The [`coordinator`] starts one worker
//! process per run ([`process`]). A [`worker`] trains on the batches of the [`loader`] and writes [`checkpoints`]. Its results go to the
//! [`results_folder`] and the [`terminal`]. `padwise-sampler` implements the strategies, and `padwise-report` makes reports from results folders.

pub mod analysis;
pub mod bench;
pub mod checkpoints;
pub mod cmd;
pub mod coordinator;
pub mod corpora;
pub mod cost;
pub mod experiment;
pub mod export;
mod failure;
pub mod figures;
pub mod forecast;
pub mod launched;
pub mod lengths;
pub mod loader;
pub mod machine;
pub mod plan_files;
pub mod process;
pub mod recommendation;
pub mod results_folder;
pub mod stored_batch;
pub mod terminal;
pub mod words;
pub mod worker;

use std::process::ExitCode;

use clap::Parser;

pub use failure::Failure;

/// Runs the command line of this process.
///
/// Exit codes: 0 success, 1 a check failed, 2 wrong usage or input, 3 a failure at run time.
pub fn main() -> ExitCode {
    machine::freed_memory::keep();
    let cli = cmd::Cli::parse();
    match cmd::run(&cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
