//! An analysis as a table for the terminal, and as JSON, CSV or Markdown.

use std::io::{self, Write};

use clap::ValueEnum;
use padwise_report::record::objects_as_csv;
use padwise_report::tables::{Style, TextTable};
use padwise_report::text::{NOTHING, with_thousands};
use serde_json::{Map, Value};

use super::{Analysis, Measure, Row, Spread};
use crate::terminal::{legend, render_table};

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table for the terminal, with a legend
    Table,
    /// An array with one object per strategy
    Json,
    /// A header, then one line per strategy
    Csv,
    /// A table for a document
    Markdown,
}

/// A column of the tables.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    measure: Measure,
    /// Its header.
    pub title: &'static str,
    decimals: usize,
    shown: Shown,
    /// Its meaning, in one line.
    pub meaning: &'static str,
}

/// When the terminal shows a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Always,
    /// With `--wide`, and in Markdown.
    Wide,
    /// If a value is not zero; also with `--wide`, and in Markdown.
    IfAny,
    /// If a value is not zero, in every table.
    OnlyIfAny,
}

/// The columns of all tables, in their order.
pub const COLUMNS: [Column; 10] = [
    Column {
        measure: Measure::BATCHES,
        title: "batches",
        decimals: 0,
        shown: Shown::Always,
        meaning: "batches per epoch",
    },
    Column {
        measure: Measure::ZPR_PERCENT,
        title: "ZPR %",
        decimals: 2,
        shown: Shown::Wide,
        meaning: "zero padding rate (Ge et al.): mean share of padding per batch",
    },
    Column {
        measure: Measure::ABL,
        title: "ABL",
        decimals: 1,
        shown: Shown::Wide,
        meaning: "average batch length: mean frames of the longest utterance",
    },
    Column {
        measure: Measure::POOLED_PADDING_PERCENT,
        title: "padding %",
        decimals: 2,
        shown: Shown::Always,
        meaning: "padding / all frames computed; training time grows with it",
    },
    Column {
        measure: Measure::LARGEST_BATCH_FRAMES,
        title: "largest",
        decimals: 0,
        shown: Shown::Always,
        meaning: "largest batch, padded frames; memory grows with it",
    },
    Column {
        measure: Measure::DISTINCT_SHAPES,
        title: "shapes",
        decimals: 0,
        shown: Shown::Wide,
        meaning: "number of distinct batch shapes (utterances × frames)",
    },
    Column {
        measure: Measure::PAIR_RECURRENCE,
        title: "repeat pairs",
        decimals: 3,
        shown: Shown::Always,
        meaning: "fraction of pairs that share a batch again in the next epoch",
    },
    Column {
        measure: Measure::ADJACENT_CORRELATION,
        title: "autocorr.",
        decimals: 2,
        shown: Shown::Wide,
        meaning: "lag-1 autocorrelation of batch lengths; 0 in random order",
    },
    Column {
        measure: Measure::DROPPED,
        title: "dropped",
        decimals: 0,
        shown: Shown::IfAny,
        meaning: "utterances (or chunks) dropped per epoch",
    },
    Column {
        measure: Measure::DUPLICATED,
        title: "duplicated",
        decimals: 0,
        shown: Shown::OnlyIfAny,
        meaning: "utterances (or chunks) trained twice, to give all ranks equal steps",
    },
];

impl Analysis {
    /// Writes the rows in this format. `wide` adds columns to the terminal's table; the other formats always have all.
    pub fn write(&self, format: Format, wide: bool, out: &mut impl Write) -> io::Result<()> {
        match format {
            Format::Table => {
                let table = self.table(&self.columns(wide));
                writeln!(out, "{}", render_table(&table))
            }
            Format::Markdown => {
                let table = self.table(&self.columns(true));
                writeln!(out, "{}", table.render(Style::Markdown))
            }
            Format::Json => {
                let rows: Vec<Map<String, Value>> = self.rows.iter().map(Row::to_json).collect();
                serde_json::to_writer_pretty(&mut *out, &rows)?;
                writeln!(out)
            }
            Format::Csv => objects_as_csv(self.rows.iter().map(Row::to_json), out),
        }
    }

    /// The meaning of every column that the terminal's table shows, one line each.
    pub fn legend(&self, wide: bool) -> String {
        let columns = self.columns(wide);
        legend(columns.iter().map(|column| (column.title, column.meaning)))
    }

    fn columns(&self, wide: bool) -> Vec<Column> {
        let any = |column: &Column| {
            let mut values = self.rows.iter().map(|row| row.get(column.measure).mean);
            values.any(|mean| mean > Some(0.0))
        };
        let mut columns = COLUMNS.to_vec();
        columns.retain(|column| match column.shown {
            Shown::Always => true,
            Shown::Wide => wide,
            Shown::IfAny => wide || any(column),
            Shown::OnlyIfAny => any(column),
        });
        columns
    }

    fn table(&self, columns: &[Column]) -> TextTable {
        let titles = columns.iter().map(|column| column.title);
        let mut table = TextTable::new(std::iter::once("strategy").chain(titles));
        for row in &self.rows {
            let cells = columns
                .iter()
                .map(|column| cell(column.measure, row.get(column.measure), column.decimals));
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

/// Only ZPR and ABL, which papers report, show their standard deviation. JSON and CSV have all of them.
fn cell(measure: Measure, spread: Spread, decimals: usize) -> String {
    let shows_spread = [Measure::ZPR_PERCENT, Measure::ABL].contains(&measure);
    match spread.mean {
        None => NOTHING.into(),
        Some(mean) if decimals == 0 => with_thousands(&format!("{mean:.0}")),
        Some(mean) => {
            let shown = 0.5 * 10f64.powi(-(decimals as i32));
            let std = spread.std.filter(|&std| shows_spread && std >= shown);
            let std = std.map(|std| format!(" ± {std:.decimals$}"));
            // Print 0.00 rather than -0.00.
            let mean = if mean.abs() < shown { 0.0 } else { mean };
            format!("{mean:.decimals$}{}", std.unwrap_or_default())
        }
    }
}
