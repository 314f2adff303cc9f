//! What a block's source names: a file, or a piece of a recorded experiment.

use std::path::Path;

use super::cell::cell;
use crate::digits::with_thousands;
use crate::findings::Findings;
use crate::record::{ReadError, Recorded};
use crate::{tables, words};

/// The pieces of an experiment, with what each is.
pub const PIECES: [(&str, &str); 8] = [
    ("papers", "the table in the papers' columns"),
    ("speed", "the table about speed and memory"),
    ("learning", "the table about loss and errors"),
    ("padding", "the table about padding"),
    ("runs", "how every run stands"),
    ("answers", "every question with its answer"),
    ("about", "what was run, and on what"),
    ("value STRATEGY COLUMN [DECIMALS]", "a number of report.csv"),
];

/// Why there is no content.
pub(super) enum Problem {
    Words(String),
    Record(ReadError),
}

impl From<String> for Problem {
    fn from(words: String) -> Self {
        Problem::Words(words)
    }
}

/// The content that a source names.
pub(super) fn content(source: &str, root: &Path) -> Result<String, Problem> {
    let words = words_of(source)?;
    let Some((path, piece)) = words.split_first() else {
        return Err(
            "a block from nothing: name a file, or a folder of results and a piece of it"
                .to_owned()
                .into(),
        );
    };
    let place = root.join(path);
    let piece: Vec<&str> = piece.iter().map(String::as_str).collect();
    if !place.is_dir() {
        return Ok(piece_of_file(&place, path, &piece)?);
    }
    let recorded = Recorded::open(&place).map_err(Problem::Record)?;
    let findings = Findings::of(recorded);
    Ok(piece_of(&findings, &piece)?)
}

fn piece_of_file(place: &Path, path: &str, piece: &[&str]) -> Result<String, String> {
    match piece {
        [] => {
            std::fs::read_to_string(place).map_err(|error| format!("cannot read {path}: {error}"))
        }
        ["cell", row, column] => cell(place, path, row, column, None),
        ["cell", row, column, decimals] => {
            cell(place, path, row, column, Some(whole_number(decimals)?))
        }
        _ => Err(format!(
            "`{}` of `{path}`, which is no folder of results: a file is shown whole, or a cell of its table, `cell ROW COLUMN [DECIMALS]`",
            piece.join(" ")
        )),
    }
}

fn piece_of(findings: &Findings, piece: &[&str]) -> Result<String, String> {
    let table = |title: &str| {
        let grids = tables::all(findings).into_iter();
        let mut found = grids.filter(|grid| grid.title == title);
        found.next().map(|grid| grid.to_markdown())
    };
    match piece {
        ["papers"] => table(tables::PAPERS).ok_or_else(|| {
            "the config names no number of a paper, so there is no such table".into()
        }),
        ["speed"] => Ok(table(tables::SPEED).unwrap_or_default()),
        ["learning"] => Ok(table(tables::LEARNING).unwrap_or_default()),
        ["padding"] => Ok(table(tables::PADDING).unwrap_or_default()),
        ["runs"] => Ok(tables::runs(findings).to_markdown()),
        ["about"] => Ok(words::what_was_run(findings).join(" ")),
        ["answers"] => Ok(words::answers(findings)
            .iter()
            .map(|answer| {
                let each: String = answer
                    .each
                    .iter()
                    .map(|each| format!("\n  - {each}"))
                    .collect();
                format!("- **{}** {}{each}\n", answer.question, answer.answer)
            })
            .collect()),
        ["value", strategy, column] => value(findings, strategy, column, None),
        ["value", strategy, column, decimals] => {
            value(findings, strategy, column, Some(whole_number(decimals)?))
        }
        _ => {
            let known: Vec<&str> = PIECES.iter().map(|(name, _)| *name).collect();
            Err(format!(
                "`{}` is no piece of an experiment: give one of {}",
                piece.join(" "),
                known.join(", ")
            ))
        }
    }
}

fn value(
    findings: &Findings,
    strategy: &str,
    column: &str,
    decimals: Option<usize>,
) -> Result<String, String> {
    let rows = 0..findings.rows.len();
    let row = rows.clone().find(|&row| findings.name(row) == strategy);
    let row = row.ok_or_else(|| {
        let names: Vec<&str> = rows.map(|row| findings.name(row)).collect();
        format!(
            "there is no strategy `{strategy}`: give one of {}",
            names.join("; ")
        )
    })?;
    let fields = tables::fields(findings, row);
    let field = fields.iter().find(|(name, _)| name == column);
    let (_, value) = field.ok_or_else(|| {
        let near = fields.iter().filter(|(name, _)| name.contains(column));
        let near: Vec<&str> = near.map(|(name, _)| name.as_str()).collect();
        format!(
            "report.csv has no column `{column}`{}{}",
            if near.is_empty() { "" } else { "; it has " },
            near.join(", ")
        )
    })?;
    if value.is_empty() {
        return Err(format!("`{column}` of `{strategy}` was not measured"));
    }
    match (decimals, value.parse::<f64>()) {
        (Some(decimals), Ok(number)) => Ok(rounded(number, decimals)),
        _ => Ok(value.clone()),
    }
}

fn whole_number(decimals: &str) -> Result<usize, String> {
    let number = decimals.parse().ok().filter(|&number| number <= 12);
    number.ok_or_else(|| format!("`{decimals}` decimals: give a whole number up to 12"))
}

/// A number as a sentence has it: rounded, halves up as far as f64 tells them, with commas between thousands.
pub(super) fn rounded(number: f64, decimals: usize) -> String {
    // Formatting alone would take the even neighbour of a half.
    let unit = 10f64.powi(decimals as i32);
    let size = (number.abs() * unit).round() / unit;
    let digits = format!("{size:.decimals$}");
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let sign = if number < 0.0 && size > 0.0 {
        "−"
    } else {
        ""
    };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", with_thousands(whole))
}

/// The words of a source; quotes hold together what has spaces in it.
fn words_of(source: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut rest = source.trim();
    while !rest.is_empty() {
        let (word, after) = if let Some(quoted) = rest.strip_prefix('"') {
            quoted
                .split_once('"')
                .ok_or_else(|| format!("a quote in `{source}` has no end"))?
        } else {
            rest.split_once(' ').unwrap_or((rest, ""))
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Ok(words)
}
