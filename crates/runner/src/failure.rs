//! Errors of commands and their exit codes.

use std::io;
use std::process::ExitCode;

use crate::terminal::say;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// The command line, a config or an input file is wrong: exit code 2.
    Usage(anyhow::Error),
    /// A failure at run time: exit code 3.
    Runtime(anyhow::Error),
    /// A requested check failed and has printed its findings: exit code 1.
    Gate,
    /// The reader of our output closed it, as `head` does: exit code 0.
    OutputClosed,
}

impl Failure {
    /// An error in the user's input.
    pub fn usage(error: impl Into<anyhow::Error>) -> Self {
        Failure::Usage(error.into())
    }

    /// An error at run time.
    pub fn runtime(error: impl Into<anyhow::Error>) -> Self {
        Failure::Runtime(error.into())
    }

    /// An error of writing to standard output.
    pub fn output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::OutputClosed
        } else {
            Failure::Runtime(anyhow::Error::new(error).context("cannot write to standard output"))
        }
    }

    /// Prints the error with its causes and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let (error, code) = match self {
            Failure::Usage(error) => (error, 2),
            Failure::Runtime(error) => (error, 3),
            Failure::Gate => return ExitCode::FAILURE,
            Failure::OutputClosed => return ExitCode::SUCCESS,
        };
        say(with_causes(error));
        ExitCode::from(code)
    }
}

/// An error and its causes in one line. Some of our messages already end with their cause, which is then not repeated.
fn with_causes(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if message.is_empty() {
            message = cause;
        } else if !message.ends_with(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}
