//! An analysis as a table for people, and as JSON, CSV or Markdown for everything else.

use std::io::{self, Write};

use clap::ValueEnum;
use padwise_report::record::objects_as_csv;
use padwise_report::tables::{Style, TextTable};
use padwise_report::text::{NOTHING, with_thousands};
use serde_json::{Map, Value};

use super::{Analysis, Measure, Row, Spread};

/// How rows are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table to read in a terminal
    Table,
    /// An array of objects, one a strategy
    Json,
    /// A line of names, then a line a strategy
    Csv,
    /// A table to paste into a document
    Markdown,
}

/// The columns of the tables that people read: what each is called, and with how many decimals.
const COLUMNS: [(Measure, &str, usize); 9] = [
    (Measure::BATCHES, "batches", 0),
    (Measure::ZPR_PERCENT, "ZPR %", 2),
    (Measure::ABL, "ABL", 1),
    (Measure::POOLED_PADDING_PERCENT, "pooled %", 2),
    (Measure::LARGEST_BATCH_FRAMES, "largest", 0),
    (Measure::DISTINCT_SHAPES, "shapes", 0),
    (Measure::PAIR_RECURRENCE, "meet again", 3),
    (Measure::ADJACENT_CORRELATION, "adjacent r", 2),
    (Measure::DROPPED, "dropped", 0),
];

impl Analysis {
    /// Prints the rows.
    pub fn write(&self, format: Format, out: &mut impl Write) -> io::Result<()> {
        match format {
            Format::Table => writeln!(out, "{}", self.table().render(Style::Terminal)),
            Format::Markdown => writeln!(out, "{}", self.table().render(Style::Markdown)),
            Format::Json => {
                let rows: Vec<Map<String, Value>> = self.rows.iter().map(Row::to_json).collect();
                serde_json::to_writer_pretty(&mut *out, &rows)?;
                writeln!(out)
            }
            Format::Csv => objects_as_csv(self.rows.iter().map(Row::to_json), out),
        }
    }

    fn table(&self) -> TextTable {
        let shows_duplicates = self
            .rows
            .iter()
            .any(|row| row.get(Measure::DUPLICATED).mean > Some(0.0));
        let mut columns = COLUMNS.to_vec();
        if shows_duplicates {
            columns.push((Measure::DUPLICATED, "duplicated", 0));
        }
        let names = columns.iter().map(|&(_, name, _)| name);
        let mut table = TextTable::new(std::iter::once("strategy").chain(names));
        for row in &self.rows {
            let cells = columns
                .iter()
                .map(|&(measure, _, decimals)| cell(measure, row.get(measure), decimals));
            table.add_row(std::iter::once(row.strategy.clone()).chain(cells));
        }
        table
    }
}

impl Row {
    fn to_json(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("strategy".into(), self.strategy.clone().into());
        object.insert("resolved".into(), self.resolved.clone().into());
        object.insert("items".into(), self.items.into());
        for (measure, spread) in &self.measures {
            object.insert(measure.name().into(), number(spread.mean));
            object.insert(format!("{}_std", measure.name()), number(spread.std));
        }
        object
    }
}

/// Whole numbers without a fraction, undefined ones as null.
fn number(value: Option<f64>) -> Value {
    match value {
        None => Value::Null,
        Some(v) if v.fract() == 0.0 && v.abs() < 9e15 => Value::from(v as i64),
        Some(v) => Value::from(v),
    }
}

/// The spread is shown of the two figures that papers report; the others have theirs in JSON and CSV.
fn cell(measure: Measure, spread: Spread, decimals: usize) -> String {
    let shows_spread = [Measure::ZPR_PERCENT, Measure::ABL].contains(&measure);
    match spread.mean {
        None => NOTHING.into(),
        Some(mean) if decimals == 0 => with_thousands(&format!("{mean:.0}")),
        Some(mean) => {
            let shown = 0.5 * 10f64.powi(-(decimals as i32));
            let std = spread.std.filter(|&std| shows_spread && std >= shown);
            let std = std.map(|std| format!(" ± {std:.decimals$}"));
            // A mean of -0.001 is no different from nothing.
            let mean = if mean.abs() < shown { 0.0 } else { mean };
            format!("{mean:.decimals$}{}", std.unwrap_or_default())
        }
    }
}
