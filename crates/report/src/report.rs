//! Builds the files of a report from results folders.
//!
//! | file | content |
//! | --- | --- |
//! | `report.html` | one page about all experiments, self-contained |
//! | `report.md` | one experiment: summary, answers, tables, plots and setup |
//! | `report.csv` | all its numbers, one line per strategy |
//! | `summary.csv`, `summary.json`, `table.md` | the summary that `padwise run` writes |
//! | `plots/*.svg`, `plots/*.png` | its plots |
//!
//! With one experiment, all files go into the output folder. With several, each experiment has its own subfolder, and the output
//! folder has the page.

use std::io;
use std::path::{Path, PathBuf};

use padwise_sampler::excerpt::excerpt;
use thiserror::Error;

use crate::files::File;
use crate::findings::Findings;
use crate::markdown::{code_block, escaped};
use crate::page::page;
use crate::plots::{self, Plot, PlotError, StrategyStyles};
use crate::record::{ReadError, Recorded, Row, Summary};
use crate::tables::{Style, SummaryWidth, TextTable, TitledTable, summary_table};
use crate::{narrative, tables};

/// Why a report cannot be built.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A results folder cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// Two results folders have the same name.
    #[error(
        "two results folders have the same name, `{}`: rename one, or report on them separately",
        excerpt(.name)
    )]
    SameName {
        /// The name.
        name: String,
    },
    /// A plot cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// A table cannot be written as CSV.
    #[error("cannot write a table: {0}")]
    Table(#[from] io::Error),
    /// The page cannot be rendered.
    #[error("cannot render report.html: {0}")]
    Page(#[from] askama::Error),
}

impl ReportError {
    /// Whether the arguments or their files are wrong, rather than the program or the machine.
    pub fn is_usage(&self) -> bool {
        matches!(self, ReportError::Read(_) | ReportError::SameName { .. })
    }
}

/// Builds the files of a report on these results folders, for the folder `out`. Writes nothing.
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
    let styles = StrategyStyles::of(rows);
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

/// The results folders directly below a folder, sorted by name.
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

/// The summary files that a run writes, with their names; `rows` are the strategies of its config, with the figures from the paper.
pub fn summary_files(summary: &Summary, rows: &[Row]) -> io::Result<[(&'static str, Vec<u8>); 3]> {
    let table = summary_table(summary, rows, SummaryWidth::Wide).render(Style::Markdown) + "\n";
    Ok([
        ("summary.csv", summary.to_csv()?),
        (
            "summary.json",
            serde_json::to_vec_pretty(&summary.to_json())?,
        ),
        ("table.md", table.into_bytes()),
    ])
}

/// `report.md`: one experiment as Markdown. Results come first, then tables and plots, then the setup.
pub fn markdown(findings: &Findings, plots: &[Plot]) -> String {
    let mut text = format!("# {}\n\n", escaped(findings.title()));
    let rows = &findings.recorded.config.strategy;
    let summary = summary_table(&findings.summary, rows, SummaryWidth::Compact);
    text += &with_legend(&summary);
    for answer in narrative::answers(findings) {
        let (heading, sentence) = (escaped(&answer.heading), escaped(&answer.answer));
        text += &format!("\n## {heading}\n\n{sentence}\n");
        if !answer.each.is_empty() {
            text += "\n";
        }
        for each in &answer.each {
            text += &format!("- {}\n", escaped(each));
        }
    }
    for table in tables::all(findings) {
        text += &section(&table);
    }
    let incomplete = findings.rows.iter().any(|row| !row.status.is_complete());
    if incomplete {
        text += &section(&tables::runs(findings));
    }
    for plot in plots {
        let (title, caption) = (escaped(&plot.title), escaped(&plot.caption));
        let stem = &plot.stem;
        text += &format!("\n## {title}\n\n![{title}](plots/{stem}.svg)\n\n{caption}\n");
    }
    text += "\n## Setup\n\n";
    for sentence in narrative::what_was_run(findings) {
        text += &format!("- {}\n", escaped(&sentence));
    }
    let commands = narrative::reproduce(findings).join("\n");
    text + "\n## Reproduce\n\n" + &code_block("sh", &commands)
}

/// A table with its heading, notes and legend.
fn section(table: &TitledTable) -> String {
    let mut text = format!("\n## {}\n\n", table.title);
    if !table.note.is_empty() {
        text += &format!("{}\n\n", escaped(&table.note));
    }
    text + &with_legend(&table.cells)
}

fn with_legend(table: &TextTable) -> String {
    let mut text = table.render(Style::Markdown) + "\n";
    let legend = tables::legend(table);
    if !legend.is_empty() {
        text += "\n";
    }
    for entry in legend {
        text += &format!("- **{}**: {}\n", entry.column, entry.explanation);
    }
    text
}
