//! A report: everything that is made from records, as files.
//!
//! | file | what it is |
//! | --- | --- |
//! | `report.html` | the page, about all experiments |
//! | `report.md` | verdicts and tables of one experiment |
//! | `report.csv` | its numbers, each by itself |
//! | `summary.csv`, `summary.json`, `table.md` | what `padwise run` writes and prints |
//! | `plots/*.svg`, `plots/*.png` | its plots |
//!
//! All but the page are in the folder of the report where there is one experiment, and otherwise in a folder below it for each.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::files::File;
use crate::findings::Findings;
use crate::page::page;
use crate::plots::{self, Plot, PlotError, StrategyStyles};
use crate::record::{ReadError, Recorded, Row, Summary};
use crate::tables::{Style, summary_table};
use crate::{narrative, tables};

/// Why there is no report.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A record cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Two records would be written to one place.
    #[error(
        "two of the folders are called `{name}`, and their reports would be one: rename one of them"
    )]
    SameName {
        /// What both are called.
        name: String,
    },
    /// A plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// A table cannot be written as CSV.
    #[error("cannot write a table: {0}")]
    Table(#[from] io::Error),
    /// The page cannot be made.
    #[error("cannot make the page: {0}")]
    Page(#[from] askama::Error),
}

impl ReportError {
    /// Whether what was asked for is at fault, rather than the program or the machine.
    pub fn is_usage(&self) -> bool {
        matches!(self, ReportError::Read(_) | ReportError::SameName { .. })
    }
}

/// The files of a report about these folders.
pub fn report(folders: &[PathBuf], out: &Path) -> Result<Vec<File>, ReportError> {
    let mut experiments: Vec<Findings> = Vec::new();
    for folder in folders {
        let recorded = Recorded::open(folder)?;
        if experiments
            .iter()
            .any(|known| known.recorded.name == recorded.name)
        {
            return Err(ReportError::SameName {
                name: recorded.name,
            });
        }
        experiments.push(Findings::of(recorded));
    }
    let rows = experiments
        .iter()
        .flat_map(|findings| &findings.recorded.config.strategy);
    let styles = StrategyStyles::of(rows.map(|row| &row.strategy));
    let mut files = Vec::new();
    let mut drawn: Vec<Vec<Plot>> = Vec::new();
    for findings in &experiments {
        let folder = match experiments.len() {
            1 => out.to_path_buf(),
            _ => out.join(&findings.recorded.name),
        };
        let plots = plots::all(findings, &styles)?;
        let mut add = |name: &str, content: Vec<u8>| {
            files.push(File {
                path: folder.join(name),
                content,
            });
        };
        add("report.md", markdown(findings, &plots).into_bytes());
        add("report.csv", tables::csv(findings)?);
        for Plot { stem, picture, .. } in &plots {
            add(
                &format!("plots/{stem}.svg"),
                picture.svg.clone().into_bytes(),
            );
            add(&format!("plots/{stem}.png"), picture.png.clone());
        }
        for (name, content) in summary_files(&findings.summary, &findings.recorded.config.strategy)?
        {
            add(name, content);
        }
        drawn.push(plots);
    }
    let sections: Vec<(&Findings, &[Plot])> = experiments
        .iter()
        .zip(drawn.iter().map(Vec::as_slice))
        .collect();
    files.push(File {
        path: out.join("report.html"),
        content: page(&sections, &styles)?.into_bytes(),
    });
    Ok(files)
}

/// The folders below this one that hold a record, by name.
pub fn records_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut records = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if Recorded::is_in(&path) {
            records.push(path);
        }
    }
    records.sort();
    Ok(records)
}

/// The files that a run writes of its summary, by name; the rows of the config have the papers' numbers.
pub fn summary_files(summary: &Summary, rows: &[Row]) -> io::Result<[(&'static str, Vec<u8>); 3]> {
    let table = summary_table(summary, rows).render(Style::Markdown) + "\n";
    Ok([
        ("summary.csv", summary.to_csv()?),
        (
            "summary.json",
            serde_json::to_vec_pretty(&summary.to_json())?,
        ),
        ("table.md", table.into_bytes()),
    ])
}

/// One experiment as Markdown: what was run, the answers, the tables, the plots.
pub fn markdown(findings: &Findings, plots: &[Plot]) -> String {
    let mut text = format!(
        "# {}\n\n{}\n",
        findings.title(),
        narrative::what_was_run(findings).join(" ")
    );
    for answer in narrative::answers(findings) {
        text += &format!("\n## {}\n\n{}\n", answer.question, answer.answer);
        if !answer.each.is_empty() {
            text += "\n";
        }
        for each in &answer.each {
            text += &format!("- {each}\n");
        }
    }
    for table in tables::all(findings) {
        text += &format!(
            "\n## {}\n\n{}\n\n{}",
            table.title,
            table.note,
            table.to_markdown()
        );
    }
    let incomplete = findings.rows.iter().any(|row| !row.status.is_complete());
    if incomplete {
        let runs = tables::runs(findings);
        text += &format!("\n## {}\n\n{}", runs.title, runs.to_markdown());
    }
    for plot in plots {
        text += &format!(
            "\n## {}\n\n![{}](plots/{}.svg)\n\n{}\n",
            plot.title, plot.title, plot.stem, plot.caption
        );
    }
    text
}
