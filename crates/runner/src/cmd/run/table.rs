//! The tables that a run prints at its end, and their legend.

use std::path::Path;

use padwise_experiment_config::Row;
use padwise_report::findings::Scaling;
use padwise_report::record::{Metric, ReadError, Recorded, Summary};
use padwise_report::tables::{self, SummaryWidth, TextTable, TitledTable, legend, summary_table};

/// The table of all strategies: all columns, or those that fit 100 characters.
pub(super) fn result_table(summary: &Summary, rows: &[Row], wide: bool) -> TextTable {
    let width = if wide {
        SummaryWidth::Wide
    } else {
        SummaryWidth::Compact
    };
    summary_table(summary, rows, width)
}

/// The table of the workers recorded in a results folder. None without several numbers of workers.
pub(super) fn workers_table(folder: &Path) -> Result<Option<TitledTable>, ReadError> {
    let recorded = Recorded::open(folder)?;
    let scaling = Scaling::of(&recorded.config, &recorded.epochs, &recorded.workers);
    Ok(scaling.map(|scaling| tables::workers(&recorded.config.strategy, &scaling)))
}

/// Each column's title and meaning, once for all tables.
pub(super) fn meanings<'a>(
    tables: impl IntoIterator<Item = &'a TextTable>,
) -> Vec<(String, String)> {
    let mut meanings: Vec<(String, String)> = Vec::new();
    for entry in tables.into_iter().flat_map(legend) {
        if meanings.iter().all(|(column, _)| *column != entry.column) {
            meanings.push((entry.column, entry.explanation));
        }
    }
    meanings
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

#[cfg(test)]
mod tests {
    use padwise_report::record::WordsRecord;

    use super::*;

    #[test]
    fn the_table_of_workers_has_one_legend_with_the_summary() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/fixtures");
        let folder = fixtures.join("workers");
        let workers = workers_table(&folder)
            .expect("a record")
            .expect("several numbers of workers");
        let recorded = Recorded::open(&folder).expect("a record");
        let summary = Summary::of(&recorded.config, &recorded.epochs, &WordsRecord::default());
        let table = result_table(&summary, &recorded.config.strategy, false);
        let meanings = meanings([&table, &workers.cells]);
        for wanted in [
            "utt/s",
            "efficiency %",
            "slowest %",
            "averaging %",
            "loss",
            "†",
        ] {
            let found = meanings.iter().filter(|(column, _)| column == wanted);
            assert_eq!(found.count(), 1, "{wanted}");
        }
        let none = workers_table(&fixtures.join("table2")).expect("a record");
        assert_eq!(none, None);
    }
}
