//! The subcommands, one file each.

pub mod analyze;
pub mod figure;

use clap::Subcommand;

use crate::Failure;

/// What can be asked.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what each strategy does to a corpus: padding, memory, randomness. Trains nothing, needs no GPU.
    Analyze(analyze::Analyze),
    /// Draw the papers' figures from any lengths, as SVG and PNG.
    Figure(figure::FigureCommand),
}

/// Does what was asked.
pub fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Analyze(analyze) => analyze.run(),
        Command::Figure(figure) => figure.run(),
    }
}
