//! The table that a run prints at its end, and its legend.

use padwise_experiment_config::Row;
use padwise_report::record::{Metric, Summary};
use padwise_report::tables::{SummaryWidth, TextTable, legend, summary_table};

/// The table of all strategies: all columns, or those that fit 100 characters.
pub(super) fn result_table(summary: &Summary, rows: &[Row], wide: bool) -> TextTable {
    let width = if wide {
        SummaryWidth::Wide
    } else {
        SummaryWidth::Compact
    };
    summary_table(summary, rows, width)
}

/// Each column's title and meaning.
pub(super) fn meanings(table: &TextTable) -> Vec<(String, String)> {
    let entries = legend(table).into_iter();
    entries
        .map(|entry| (entry.column.to_string(), entry.explanation.to_string()))
        .collect()
}

/// Every column that the table can have, with its meaning.
pub(super) fn all_columns() -> impl Iterator<Item = (&'static str, &'static str)> {
    let metrics = Metric::TABLE.iter().map(|(metric, _)| metric.definition());
    let metrics = metrics.map(|metric| (metric.title, metric.legend));
    metrics.chain([(
        "paper",
        "the figure in the paper for the column to the left",
    )])
}
