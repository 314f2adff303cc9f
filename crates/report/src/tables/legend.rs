//! Explains the columns of tables, for a legend below each table.

use super::text_table::TextTable;
use crate::record::Metric;
use crate::text::PREDICTED;

/// The explanation of one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegendEntry {
    /// The title of the column.
    pub column: String,
    /// What the column shows.
    pub explanation: String,
}

/// Columns that are not metrics.
const COLUMNS: [(&str, &str); 24] = [
    (
        "paper",
        "the figure in the paper for the column to the left",
    ),
    ("paper WER %", "word error rate in the paper"),
    ("paper saved %", "training time saved in the paper"),
    ("MB", "peak memory of training, 10⁶ bytes"),
    (
        "predicted",
        "speed-up predicted from the number of padded frames",
    ),
    (
        "p",
        "p-value of the difference from the baseline, by Dunnett's test for all strategies together; for a strategy that shares no seed with the baseline, by Welch's t-test",
    ),
    ("memory ratio", "memory relative to the baseline"),
    ("difference", "difference in loss from the baseline"),
    (
        "95 % CI",
        "95 % confidence interval of the speed-up or difference to its left",
    ),
    (
        "WER difference",
        "difference in word error rate from the baseline, in percentage points",
    ),
    (
        "WER 95 % CI",
        "95 % confidence interval of this difference, by a paired bootstrap over utterances and seeds; holds for all strategies together",
    ),
    (
        "WER p",
        "two-sided p-value of this difference by the same bootstrap, for all strategies together",
    ),
    (
        "lowest loss (epoch)",
        "lowest validation loss during training and its epoch",
    ),
    (
        "Pareto front",
        "whether no other strategy is both faster and lower in loss",
    ),
    ("workers", "number of workers"),
    (
        "parallel speed-up",
        "speed relative to the same strategy with the fewest workers",
    ),
    (
        "efficiency %",
        "parallel speed-up divided by the increase in workers",
    ),
    (
        "slowest %",
        "share of the epoch lost because the slowest worker takes longer than the mean",
    ),
    ("averaging %", "share of the epoch spent on averaging"),
    (
        "waiting %",
        "share of the epoch beyond the slowest worker and averaging",
    ),
    ("seed", "random seed of the run"),
    ("epochs", "completed epochs of those planned"),
    ("training s", "training time in seconds"),
    (
        "last loss",
        "validation loss after the last completed epoch",
    ),
];

/// Explains the columns of a table, in their order. Columns without an explanation, such as names, are left out.
pub fn legend(table: &TextTable) -> Vec<LegendEntry> {
    let mut entries: Vec<LegendEntry> = Vec::new();
    for column in &table.header {
        let is_known = entries.iter().any(|entry| entry.column == *column);
        if let Some(explanation) = explanation(column).filter(|_| !is_known) {
            entries.push(LegendEntry {
                column: column.clone(),
                explanation,
            });
        }
    }
    if table.rows.iter().flatten().any(|cell| cell.contains('±')) {
        let wer = Metric::TestWordErrorPercent.definition().title;
        let resampled = match table.header.iter().any(|column| column == wer) {
            true => {
                "; of WER %, by a bootstrap over utterances and seeds (with one seed: over utterances only)"
            }
            false => "",
        };
        entries.push(LegendEntry {
            column: "±".into(),
            explanation: format!("95 % confidence interval of the mean over seeds{resampled}"),
        });
    }
    entries.extend(predicted(table));
    entries
}

/// Explains the mark of predicted times, if the table has one.
pub(super) fn predicted(table: &TextTable) -> Option<LegendEntry> {
    // Runs that did not complete follow the mark in parentheses.
    let is_marked = |name: &String| {
        let after = name.rsplit_once(PREDICTED).map(|(_, after)| after);
        after.is_some_and(|after| after.is_empty() || after.starts_with(" ("))
    };
    let mut names = table.rows.iter().filter_map(|row| row.first());
    names.any(is_marked).then(|| LegendEntry {
        column: PREDICTED.into(),
        explanation: "times of this row are predicted, because its workers took turns: the slowest worker's time plus averaging".into(),
    })
}

/// The legend of a table as text, one line per column: `utt/s: utterances per training second`.
pub fn legend_text(table: &TextTable) -> String {
    let lines = legend(table).into_iter();
    lines
        .map(|entry| format!("{}: {}\n", entry.column, entry.explanation))
        .collect()
}

fn explanation(column: &str) -> Option<String> {
    if let Some(loss) = column.strip_prefix("s to ") {
        return Some(format!(
            "training time until the validation loss reached {loss}, in seconds"
        ));
    }
    let metrics = Metric::ALL.iter().map(|metric| metric.definition());
    let mut known = metrics
        .filter(|metric| !metric.title.is_empty())
        .map(|metric| (metric.title, metric.legend))
        .chain(COLUMNS);
    let (_, explanation) = known.find(|(title, _)| *title == column)?;
    Some(explanation.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_explained_once_and_in_order() {
        let mut table = TextTable::new(["strategy", "utt/s", "paper", "GB", "paper", "s to 1.200"]);
        table.add_row(["sorted", "2.0 ± 0.1", "3", "1.00", "2", "60.0"]);
        insta::assert_snapshot!(legend_text(&table), @r"
        utt/s: utterances per training second
        paper: the figure in the paper for the column to the left
        GB: peak memory of training, 10⁹ bytes
        s to 1.200: training time until the validation loss reached 1.200, in seconds
        ±: 95 % confidence interval of the mean over seeds
        ");
    }
}
