//! The `padwise` command line: which way of building batches suits this corpus?
//!
//! [`cmd`] has one file for each subcommand. A subcommand reads its input ([`lengths`], [`corpora`]), works out its answer
//! ([`analysis`], [`figures`]) and prints or draws it.
//!
//! `run` reads a config, opens an [`experiment`] and tells what it will need ([`mod@forecast`]). The [`coordinator`] hands its runs
//! to worker processes ([`process`]), which train ([`worker`], fed by the [`loader`]). What they report goes into a
//! [`results_folder`] and onto the [`terminal`]. What a strategy does is `padwise-sampler`'s business alone, and what becomes of a record is
//! `padwise-report`'s.

pub mod analysis;
pub mod bench;
pub mod cmd;
pub mod coordinator;
pub mod corpora;
pub mod experiment;
pub mod export;
mod failure;
pub mod figures;
pub mod forecast;
pub mod lengths;
pub mod loader;
pub mod machine;
pub mod process;
pub mod results_folder;
pub mod terminal;
pub mod worker;

use std::process::ExitCode;

use clap::Parser;

pub use failure::Failure;

/// Runs the command line of this process and says how it ended: 0 fine, 1 a gate failed, 2 usage or input, 3 a
/// failure at run time.
pub fn main() -> ExitCode {
    let cli = cmd::Cli::parse();
    match cmd::run(&cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
