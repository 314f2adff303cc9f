//! Differences in loss and error rates: from random batches, and from the recommended strategy.

use std::path::Path;

use super::{MAIN, PER, RECOMMENDED, change_cell, detectable_cell, p_cell, row};
use crate::findings::Findings;
use crate::record::{Metric, ReadError, resampled};
use crate::statistics::{Change, Scale, against_baseline};
use crate::studies::records::Record;
use crate::tables::TextTable;

/// How loss and error rates of each strategy differ from those of random batches.
pub(in crate::studies) fn differences(results: &Path) -> Result<TextTable, ReadError> {
    let Record(findings) = Record::open(results, MAIN)?;
    let baseline = findings.baseline.unwrap_or(0);
    Ok(against(&findings, baseline))
}

/// The same, compared with semi-sorted batches.
pub(in crate::studies) fn against_semi_sorted(results: &Path) -> Result<TextTable, ReadError> {
    let record = Record::open(results, MAIN)?;
    let recommended = row(&record, RECOMMENDED)?;
    Ok(against(&record.0, recommended))
}

fn against(findings: &Findings, baseline: usize) -> TextTable {
    let rows = 0..findings.rows.len();
    let compared = |metric: Metric| -> Vec<Option<Change>> {
        against_baseline(&findings.rows_by_seed(metric), baseline, Scale::Difference)
    };
    let (losses, phones) = (compared(Metric::ValidationLoss), compared(PER));
    let runs = findings.runs_of_rows();
    let pairs: Vec<_> = rows.clone().map(|row| (baseline, row)).collect();
    let words = resampled(&runs, &findings.recorded.words.utterances, &pairs).changes;
    let mut table = TextTable::new([
        "strategy",
        "loss difference (95 % CI)",
        "loss p",
        "PER difference (95 % CI)",
        "PER p",
        "WER difference (95 % CI)",
        "WER p",
        "WER detectable",
    ]);
    for row in rows.filter(|row| *row != baseline) {
        table.add_row([
            findings.name(row).to_owned(),
            change_cell(losses[row], 3),
            p_cell(losses[row]),
            change_cell(phones[row], 1),
            p_cell(phones[row]),
            change_cell(words[row], 2),
            p_cell(words[row]),
            detectable_cell(words[row], 2),
        ]);
    }
    table
}
