//! The effect of single decisions: pairs of strategies that differ in one of them.

use std::path::Path;

use super::{MAIN, PER, change_cell, detectable_cell, p_cell, row};
use crate::record::{Metric, ReadError, resampled};
use crate::statistics::{Scale, in_pairs};
use crate::studies::records::Record;
use crate::tables::TextTable;

/// A decision, and the strategies without it and with it.
const DECISIONS: [(&str, &str, &str); 8] = [
    ("shuffle batches", "sorted", "sorted, shuffled batches"),
    (
        "shuffle batches",
        "semi-sorted",
        "semi-sorted, shuffled batches",
    ),
    (
        "dynamic sizes",
        "semi-sorted, shuffled batches",
        "semi-sorted, dynamic sizes",
    ),
    ("add noise to lengths", "sorted", "semi-sorted"),
    (
        "add noise, shuffled batches",
        "sorted, shuffled batches",
        "semi-sorted, shuffled batches",
    ),
    (
        "buckets instead of noise",
        "semi-sorted, shuffled batches",
        "buckets",
    ),
    ("more bins", "8 bins", "64 bins"),
    ("bins instead of buckets", "buckets", "64 bins"),
];

/// The effect of each decision on word error rate.
pub(in crate::studies) fn decisions(results: &Path) -> Result<TextTable, ReadError> {
    let record = Record::open(results, MAIN)?;
    let Record(findings) = &record;
    let utterances = &findings.recorded.words.utterances;
    let words = resampled(&findings.runs_of_rows(), utterances, &pairs(&record)?).changes;
    let mut table = TextTable::new([
        "decision",
        "without",
        "with",
        "WER difference (95 % CI)",
        "WER p",
        "WER detectable",
    ]);
    for ((decision, without, with), words) in DECISIONS.into_iter().zip(words) {
        table.add_row([
            decision.to_owned(),
            without.to_owned(),
            with.to_owned(),
            change_cell(words, 2),
            p_cell(words),
            detectable_cell(words, 2),
        ]);
    }
    Ok(table)
}

/// The effect of each decision on loss and phone error rate.
pub(in crate::studies) fn decision_losses(results: &Path) -> Result<TextTable, ReadError> {
    let record = Record::open(results, MAIN)?;
    let Record(findings) = &record;
    let pairs = pairs(&record)?;
    let [losses, phones] = [Metric::ValidationLoss, PER]
        .map(|metric| in_pairs(&findings.rows_by_seed(metric), &pairs, Scale::Difference));
    let mut table = TextTable::new([
        "without",
        "with",
        "loss difference (95 % CI)",
        "loss p",
        "loss detectable",
        "PER difference (95 % CI)",
        "PER p",
        "PER detectable",
    ]);
    for (at, (_, without, with)) in DECISIONS.into_iter().enumerate() {
        table.add_row([
            without.to_owned(),
            with.to_owned(),
            change_cell(losses[at], 3),
            p_cell(losses[at]),
            detectable_cell(losses[at], 3),
            change_cell(phones[at], 1),
            p_cell(phones[at]),
            detectable_cell(phones[at], 1),
        ]);
    }
    Ok(table)
}

/// The rows of both strategies of each decision.
fn pairs(record: &Record) -> Result<Vec<(usize, usize)>, ReadError> {
    let pair = |(_, without, with)| Ok((row(record, without)?, row(record, with)?));
    DECISIONS.into_iter().map(pair).collect()
}
