//! `padwise report`: tables, plots and a page from recorded files; numbers in documents.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use padwise_report::files::File;
use padwise_report::report::{ReportError, report};
use padwise_report::splice::{SpliceError, splice};

use crate::Failure;

/// Make tables, plots and a page from recorded files, or fill documents with numbers from them.
///
/// For each folder: report.md, report.csv and plots/; for all of them together one report.html that needs nothing else. With one
/// folder they go into it, with several into --out and a folder below it for each.
#[derive(Debug, Args)]
pub struct Report {
    /// Folders that `padwise run` wrote
    #[arg(
        value_name = "DIR",
        required_unless_present = "splice",
        conflicts_with = "splice"
    )]
    folders: Vec<PathBuf>,

    /// The folder to write into [default: DIR, where there is one]
    #[arg(long, value_name = "FOLDER", conflicts_with = "splice")]
    out: Option<PathBuf>,

    /// Fill the marked blocks of these documents; sources are found from here
    #[arg(long, value_name = "FILE", num_args = 1..)]
    splice: Vec<PathBuf>,

    /// Write nothing, and exit with 1 where what is there is not what the records say
    #[arg(long)]
    check: bool,
}

impl Report {
    /// Reads, makes, writes or compares, and says what.
    pub fn run(&self) -> Result<(), Failure> {
        let stale = match self.splice.is_empty() {
            true => self.report()?,
            false => self.fill()?,
        };
        for what in &stale {
            eprintln!("padwise: {what}");
        }
        if stale.is_empty() {
            Ok(())
        } else {
            Err(Failure::Gate)
        }
    }

    /// Makes the report; gives what is stale, if that was asked.
    fn report(&self) -> Result<Vec<String>, Failure> {
        let out = match (&self.out, self.folders.as_slice()) {
            (Some(out), _) => out,
            (None, [only]) => only,
            (None, _) => {
                return Err(Failure::usage(anyhow!(
                    "a report about several folders is in none of them: say where it goes with --out FOLDER"
                )));
            }
        };
        let files = report(&self.folders, out).map_err(|error: ReportError| {
            if error.is_usage() {
                Failure::usage(error)
            } else {
                Failure::runtime(error)
            }
        })?;
        let mut stale = Vec::new();
        for file in &files {
            if !self.check {
                file.write().map_err(Failure::runtime)?;
                say(&file.path)?;
            } else if file.is_stale() {
                let remedy = "make it again without --check";
                stale.push(format!("{} is stale: {remedy}", file.path.display()));
            }
        }
        Ok(stale)
    }

    /// Fills documents; gives the blocks that are stale, if that was asked.
    fn fill(&self) -> Result<Vec<String>, Failure> {
        let mut filled = Vec::new();
        let mut without_blocks = None;
        for document in &self.splice {
            match splice(document, Path::new("")) {
                Ok(spliced) => filled.push((document, spliced)),
                // Nothing to do, unless it is so for all of them: then someone expects what will not happen.
                Err(error @ SpliceError::NoBlocks { .. }) => without_blocks = Some(error),
                Err(error) => return Err(Failure::usage(error)),
            }
        }
        if let Some(error) = without_blocks.filter(|_| filled.is_empty()) {
            return Err(Failure::usage(error));
        }
        let mut stale = Vec::new();
        for (document, spliced) in filled {
            if self.check {
                stale.extend(spliced.stale.iter().map(|(line, source)| {
                    let document = document.display();
                    format!("{document}:{line}: the block from `{source}` is stale: run padwise report --splice {document}")
                }));
            } else if !spliced.stale.is_empty() {
                let file = File {
                    path: document.clone(),
                    content: spliced.text.into_bytes(),
                };
                file.write().map_err(Failure::runtime)?;
                say(document)?;
            }
        }
        Ok(stale)
    }
}

fn say(path: &Path) -> Result<(), Failure> {
    writeln!(io::stdout(), "{}", path.display()).map_err(Failure::output)
}
