//! `padwise report`: tables, plots and a page from recorded files; numbers in documents.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use padwise_report::files::File;
use padwise_report::report::{ReportError, records_below, report};
use padwise_report::splice::{SpliceError, content, splice};

use crate::failure::Failure;

/// Make tables, plots and a page from recorded files, or fill documents with numbers from them.
///
/// For each folder: report.md, report.csv and plots/; for all of them together one report.html that needs nothing else. With one
/// folder they go into it, with several into --out and a folder below it for each.
#[derive(Debug, Args)]
pub struct Report {
    /// Folders that `padwise run` wrote
    #[arg(
        value_name = "DIR",
        required_unless_present_any = ["all", "splice", "show"],
        conflicts_with_all = ["all", "splice", "show"]
    )]
    folders: Vec<PathBuf>,

    /// Report on every folder below FOLDER that `padwise run` wrote, each by itself
    ///
    /// With --check, only files that are there are compared: what can be made again need not be kept.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["splice", "show"])]
    all: Option<PathBuf>,

    /// The folder to write into [default: DIR, where there is one]
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["splice", "show"])]
    out: Option<PathBuf>,

    /// Fill the marked blocks of these documents; sources are found from here
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "show")]
    splice: Vec<PathBuf>,

    /// Print what a block of a document is filled with from SOURCE, such as "results/quick speed"
    #[arg(long, value_name = "SOURCE", conflicts_with = "check")]
    show: Option<String>,

    /// Write nothing, and exit with 1 where what is there is not what the records say
    #[arg(long)]
    check: bool,
}

impl Report {
    /// Reads, makes, writes or compares, and says what.
    pub fn run(&self) -> Result<(), Failure> {
        let stale = match (&self.show, &self.all) {
            (Some(source), _) => {
                let text = content(source, Path::new("")).map_err(Failure::usage)?;
                return writeln!(io::stdout(), "{}", text.trim_end()).map_err(Failure::output);
            }
            (None, Some(folder)) => self.report_all(folder)?,
            (None, None) if self.splice.is_empty() => self.report()?,
            (None, None) => self.fill()?,
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

    /// Makes the report of every record below a folder; gives what is stale, if that was asked.
    fn report_all(&self, folder: &Path) -> Result<Vec<String>, Failure> {
        let records =
            records_below(folder).with_context(|| format!("cannot read {}", folder.display()));
        let records = records.map_err(Failure::Usage)?;
        if records.is_empty() {
            return Err(Failure::usage(anyhow!(
                "no folder below {} holds a record of a run: name the folder that --out of `padwise run` is in",
                folder.display()
            )));
        }
        let mut stale = Vec::new();
        for record in records {
            let name = record.file_name().unwrap_or_default();
            let out = match &self.out {
                Some(out) => out.join(name),
                None => record.clone(),
            };
            let mut files = report(&[record], &out).map_err(failure)?;
            if self.check {
                files.retain(|file| file.path.exists());
            }
            stale.extend(self.write_or_check(&files)?);
        }
        Ok(stale)
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
        let files = report(&self.folders, out).map_err(failure)?;
        self.write_or_check(&files)
    }

    fn write_or_check(&self, files: &[File]) -> Result<Vec<String>, Failure> {
        let mut stale = Vec::new();
        for file in files {
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

fn failure(error: ReportError) -> Failure {
    match error.is_usage() {
        true => Failure::usage(error),
        false => Failure::runtime(error),
    }
}

fn say(path: &Path) -> Result<(), Failure> {
    writeln!(io::stdout(), "{}", path.display()).map_err(Failure::output)
}
