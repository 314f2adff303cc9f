//! Resolves the source of a block: a file, a piece of a report, or a study of several results folders.

use std::path::Path;

use padwise_experiment_config::read_bounded_text;
use padwise_sampler::excerpt::excerpt;
use thiserror::Error;

use super::cell::{Cell, Format, cell};
use super::root::SourceFolder;
use crate::findings::Findings;
use crate::markdown::escaped;
use crate::record::{MAX_TABLE_BYTES, ReadError};
use crate::tables::{self, Style, SummaryWidth, TextTable};
use crate::text::rounded;
use crate::{narrative, studies};

/// The pieces of a report that a block can show, with a description of each.
pub const PIECES: [(&str, &str); 13] = [
    ("papers", "table: comparison with the paper"),
    ("speed", "table: speed and memory"),
    ("learning", "table: loss and error rates"),
    ("padding", "table: padding"),
    (
        "workers",
        "table: speed-up and lost time by number of workers",
    ),
    ("runs", "table: status of all runs"),
    ("answers", "the findings in sentences"),
    ("about", "corpus, model, training, runs and hardware"),
    (
        "value STRATEGY COLUMN [DECIMALS]",
        "one number from report.csv",
    ),
    ("summary", "table: summary, with all columns"),
    (
        "peer FILE",
        "table: comparison with the measurements of scripts/peer.py",
    ),
    (
        "peer-epochs FILE",
        "table: the same, losses and error rates of each epoch",
    ),
    (
        "peer-losses FILE",
        "table: the same, losses of each strategy and epoch, with a test",
    ),
];

/// Why a source cannot be resolved.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The source is invalid: what is wrong, and how to fix it.
    #[error("{0}")]
    Unknown(String),
    /// A results folder cannot be read.
    #[error(transparent)]
    Record(#[from] ReadError),
}

impl<T: Into<String>> From<T> for SourceError {
    fn from(problem: T) -> Self {
        SourceError::Unknown(problem.into())
    }
}

/// The content that a source names.
pub fn content(source: &str, folder: &SourceFolder) -> Result<String, SourceError> {
    let words = words_of(source)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some((path, piece)) = words.split_first() else {
        let problem = "empty source: name a file, or a results folder and a piece of its report";
        return Err(problem.into());
    };
    let (piece, asked) = match piece {
        ["value", ..] => (piece, None),
        [piece @ .., "cell", row, column] => (piece, Some((row, column, None))),
        [piece @ .., "cell", row, column, decimals] => {
            (piece, Some((row, column, Some(whole_number(decimals)?))))
        }
        _ => (piece, None),
    };
    let place = folder.place(path)?;
    let text = match piece {
        ["study", name] => {
            let table = folder.study(&place, name, || study(&place, name).map(compact))?;
            table.to_string()
        }
        piece if place.is_dir() => piece_of(folder.findings(&place)?.as_ref(), piece, folder)?,
        [] => read_bounded_text(&place, MAX_TABLE_BYTES)
            .map_err(|error| format!("cannot read {}: {error}", excerpt(path)))?,
        ["steps"] => compact(studies::step_times(&place)?),
        ["parts"] => compact(studies::step_parts(&place)?),
        _ => {
            let problem = format!(
                "`{}` is a file and has no piece `{}`: use the whole file, or `cell ROW COLUMN [DECIMALS]`",
                excerpt(path),
                excerpt(&piece.join(" "))
            );
            return Err(problem.into());
        }
    };
    let Some((row, column, decimals)) = asked else {
        return Ok(text);
    };
    let extension = place.extension().and_then(|extension| extension.to_str());
    let format = match extension {
        Some("csv") if piece.is_empty() => Format::Csv,
        Some("md") => Format::Markdown,
        _ if !piece.is_empty() => Format::Markdown,
        _ => {
            let problem = format!("`{}` has no cells: use a .md or .csv file", excerpt(path));
            return Err(problem.into());
        }
    };
    let name = [&[*path], piece].concat().join(" ");
    let asked = Cell {
        row,
        column,
        decimals,
    };
    Ok(cell(&text, format, &name, asked)?)
}

fn compact(table: TextTable) -> String {
    table.render(Style::Compact) + "\n"
}

fn study(results: &Path, name: &str) -> Result<TextTable, SourceError> {
    let study = studies::STUDIES.iter().find(|(known, _)| *known == name);
    let (_, table) = study.ok_or_else(|| {
        let known: Vec<&str> = studies::STUDIES.iter().map(|(name, _)| *name).collect();
        format!(
            "unknown study `{}`: use one of {}",
            excerpt(name),
            known.join(", ")
        )
    })?;
    Ok(table(results)?)
}

fn piece_of(
    findings: &Findings,
    piece: &[&str],
    folder: &SourceFolder,
) -> Result<String, SourceError> {
    Ok(match piece {
        ["papers"] => match tables::papers(findings) {
            Some(table) => table.to_markdown(),
            None => {
                let problem =
                    "the config has no figures from a paper, so there is no table `papers`";
                return Err(problem.into());
            }
        },
        ["speed"] => tables::speed(findings).to_markdown(),
        ["learning"] => tables::learning(findings).to_markdown(),
        ["padding"] => tables::padding(findings).to_markdown(),
        ["workers"] => match &findings.scaling {
            Some(scaling) => {
                let rows = &findings.recorded.config.strategy;
                tables::workers(rows, scaling).to_markdown()
            }
            None => {
                let problem = "the config has no two numbers of workers in [train.parallel], so there is no table `workers`";
                return Err(problem.into());
            }
        },
        ["runs"] => tables::runs(findings).to_markdown(),
        ["summary"] => {
            let rows = &findings.recorded.config.strategy;
            tables::summary_table(&findings.summary, rows, SummaryWidth::Wide)
                .render(Style::Markdown)
        }
        ["peer", file] => compact(studies::peer(findings, &folder.place(file)?)?),
        ["peer-epochs", file] => compact(studies::peer_by_epoch(findings, &folder.place(file)?)?),
        ["peer-losses", file] => compact(studies::peer_losses(findings, &folder.place(file)?)?),
        ["about"] => escaped(&narrative::what_was_run(findings).join(" ")),
        ["answers"] => narrative::answers(findings)
            .iter()
            .map(|answer| {
                let each = answer.each.iter();
                let each: String = each
                    .map(|each| format!("\n  - {}", escaped(each)))
                    .collect();
                let (heading, sentence) = (escaped(&answer.heading), escaped(&answer.answer));
                format!("- **{heading}.** {sentence}{each}\n")
            })
            .collect(),
        ["value", strategy, column] => value(findings, strategy, column, None)?,
        ["value", strategy, column, decimals] => {
            value(findings, strategy, column, Some(whole_number(decimals)?))?
        }
        _ => {
            let known: Vec<&str> = PIECES.iter().map(|(name, _)| *name).collect();
            let problem = format!(
                "unknown piece `{}`: use one of {}",
                excerpt(&piece.join(" ")),
                known.join(", ")
            );
            return Err(problem.into());
        }
    })
}

fn value(
    findings: &Findings,
    strategy: &str,
    column: &str,
    decimals: Option<usize>,
) -> Result<String, String> {
    let row = findings.row(strategy).ok_or_else(|| {
        let rows = 0..findings.rows.len();
        let names: Vec<&str> = rows.map(|row| findings.name(row)).collect();
        format!(
            "unknown strategy `{}`: use one of {}",
            excerpt(strategy),
            names.join("; ")
        )
    })?;
    let fields = tables::fields(findings, row);
    let field = fields.iter().find(|(name, _)| name == column);
    let (_, value) = field.ok_or_else(|| {
        let near = fields.iter().filter(|(name, _)| name.contains(column));
        let near: Vec<&str> = near.map(|(name, _)| name.as_str()).collect();
        format!(
            "report.csv has no column `{}`{}{}",
            excerpt(column),
            if near.is_empty() { "" } else { "; similar: " },
            near.join(", ")
        )
    })?;
    if value.is_empty() {
        return Err(format!("`{column}` of `{strategy}` was not measured"));
    }
    match (decimals, value.parse::<f64>()) {
        (Some(decimals), Ok(number)) => Ok(rounded(number, decimals)),
        (None, Ok(_)) => Ok(value.clone()),
        _ => Ok(escaped(value)),
    }
}

fn whole_number(decimals: &str) -> Result<usize, String> {
    let number = decimals.parse().ok().filter(|&number| number <= 12);
    number.ok_or_else(|| {
        format!(
            "invalid number of decimals `{}`: use 0 to 12",
            excerpt(decimals)
        )
    })
}

/// The words of a source. Quotes group words with spaces.
fn words_of(source: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = source.trim();
    while !rest.is_empty() {
        let (word, after) = if let Some(quoted) = rest.strip_prefix('"') {
            quoted
                .split_once('"')
                .ok_or_else(|| format!("unclosed quote in `{}`", excerpt(source)))?
        } else {
            rest.split_once(' ').unwrap_or((rest, ""))
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Ok(words)
}
