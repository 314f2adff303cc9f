//! `padwise report`: tables, plots and an HTML page for recorded runs, and figures in documents.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use padwise_report::files::File;
use padwise_report::report::{ReportError, records_below, report};
use padwise_report::splice::{SourceFolder, SpliceError, content, splice};
use padwise_sampler::excerpt::excerpt;

use super::{print, print_path};
use crate::failure::Failure;
use crate::terminal::say;

const EXAMPLES: &str = "\
Examples:
  padwise report results/quick
  padwise report results/quick results/ge --out both   # one page for two runs
  padwise report --splice README.md docs/*.md          # update documents
  padwise report --all results --check                 # exit 1 if out of date

Exit codes:
  0  written, or up to date
  1  with --check: a file is out of date
  2  a folder contains no run, or a document has an invalid marker
  3  a file cannot be written";

/// Write tables, plots and an HTML page for recorded runs.
///
/// Writes report.md, report.csv and plots/ for each results folder, and one self-contained report.html for all. A single folder
/// gets its own report. With several folders, pass --out DIR; each run gets a subfolder there.
///
/// With --splice, updates numbers and tables in documents instead. Mark each place with `<!-- from SOURCE -->` and `<!-- end -->`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Report {
    /// Results folders written by `padwise run`
    #[arg(
        value_name = "DIR",
        required_unless_present_any = ["all", "splice", "show"],
        conflicts_with_all = ["all", "splice", "show"]
    )]
    folders: Vec<PathBuf>,

    /// Write a separate report for every run below this folder
    ///
    /// With --check, skips report files that do not exist.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["splice", "show"])]
    all: Option<PathBuf>,

    /// Folder for the report [default: the results folder, if there is only one]
    #[arg(long, value_name = "DIR", conflicts_with_all = ["splice", "show"])]
    out: Option<PathBuf>,

    /// Update the marked blocks of these documents; source paths are relative to the current folder
    ///
    /// Sources must be files of the document's own project, below the nearest folder with .git or Cargo.toml.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "show")]
    splice: Vec<PathBuf>,

    /// Print one table or number, for example "results/quick speed"
    #[arg(long, value_name = "SOURCE", conflicts_with = "check")]
    show: Option<String>,

    /// Check only: exit 1 if any output is out of date
    #[arg(long)]
    check: bool,
}

impl Report {
    /// Writes or checks the outputs and prints their paths.
    pub fn run(&self) -> Result<(), Failure> {
        let stale = match (&self.show, &self.all) {
            (Some(source), _) => {
                let anywhere = SourceFolder::anywhere(Path::new(""));
                let text = content(source, &anywhere).map_err(Failure::usage)?;
                return print(&format!("{}\n", text.trim_end()));
            }
            (None, Some(folder)) => self.report_all(folder)?,
            (None, None) if self.splice.is_empty() => self.report()?,
            (None, None) => self.fill()?,
        };
        for message in &stale {
            say(message);
        }
        if stale.is_empty() {
            Ok(())
        } else {
            Err(Failure::Gate)
        }
    }

    /// Reports on every run below a folder. Returns a message for each file that is out of date.
    fn report_all(&self, folder: &Path) -> Result<Vec<String>, Failure> {
        let records =
            records_below(folder).with_context(|| format!("cannot read {}", folder.display()));
        let records = records.map_err(Failure::Usage)?;
        if records.is_empty() {
            return Err(Failure::usage(anyhow!(
                "no run found below {}: pass the folder that contains the results folders of `padwise run`",
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

    /// Reports on the given runs. Returns a message for each file that is out of date.
    fn report(&self) -> Result<Vec<String>, Failure> {
        let out = match (&self.out, self.folders.as_slice()) {
            (Some(out), _) => out,
            (None, [only]) => only,
            (None, _) => {
                return Err(Failure::usage(anyhow!(
                    "a report on several runs needs a folder: pass --out DIR"
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
                print_path(&file.path)?;
            } else if file.is_stale() {
                let remedy = "rerun without --check";
                stale.push(format!("{} is out of date: {remedy}", file.path.display()));
            }
        }
        Ok(stale)
    }

    /// Updates documents. Returns a message for each block that is out of date.
    fn fill(&self) -> Result<Vec<String>, Failure> {
        let mut filled = Vec::new();
        let mut without_blocks = None;
        for document in &self.splice {
            match splice(document, Path::new("")) {
                Ok(spliced) => filled.push((document, spliced)),
                // An error only if no document has a block.
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
                    let (document, source) = (document.display(), excerpt(source));
                    format!("{document}:{line}: the block from `{source}` is out of date: run padwise report --splice {document}")
                }));
            } else if !spliced.stale.is_empty() {
                let file = File {
                    path: document.clone(),
                    content: spliced.text.into_bytes(),
                };
                file.write().map_err(Failure::runtime)?;
                print_path(document)?;
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
