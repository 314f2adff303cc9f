//! How a command ends when it cannot do what it was asked.

use std::io;
use std::process::ExitCode;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// The command line, a config or an input file is at fault: exit code 2.
    Usage(anyhow::Error),
    /// Something went wrong while doing as asked: exit code 3.
    Runtime(anyhow::Error),
    /// A check that was asked for found something wrong, and said so: exit code 1.
    Gate,
    /// Whoever was reading our output has stopped, as `head` does: no failure of ours.
    OutputClosed,
}

impl Failure {
    /// The user's input is at fault.
    pub fn usage(error: impl Into<anyhow::Error>) -> Self {
        Failure::Usage(error.into())
    }

    /// The machine is.
    pub fn runtime(error: impl Into<anyhow::Error>) -> Self {
        Failure::Runtime(error.into())
    }

    /// Output could not be written.
    pub fn output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::OutputClosed
        } else {
            Failure::Runtime(anyhow::Error::new(error).context("cannot write to standard output"))
        }
    }

    /// Prints what went wrong, with its causes, and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let (error, code) = match self {
            Failure::Usage(error) => (error, 2),
            Failure::Runtime(error) => (error, 3),
            Failure::Gate => return ExitCode::FAILURE,
            Failure::OutputClosed => return ExitCode::SUCCESS,
        };
        eprintln!("padwise: {}", with_causes(error));
        ExitCode::from(code)
    }
}

/// An error and its causes, each once: some of ours already end with the words of the one below.
fn with_causes(error: &anyhow::Error) -> String {
    let mut said = String::new();
    for cause in error.chain() {
        let words = cause.to_string();
        if said.is_empty() {
            said = words;
        } else if !said.ends_with(&words) {
            said = format!("{said}: {words}");
        }
    }
    said
}
