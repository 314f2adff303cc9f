//! What the study at convergence found: the cost and the errors of each strategy, compared with random batches and with each other.

mod costs;
mod decisions;
mod differences;
mod speakers;

use std::path::Path;

use super::records::Record;
use crate::record::{Metric, ReadError};
use crate::statistics::Change;
use crate::tables::TextTable;
use crate::text::{p_value, signed};

pub(super) use costs::costs;
pub(super) use decisions::{decision_losses, decisions};
pub(super) use differences::{against_semi_sorted, differences};
pub(super) use speakers::{speakers, speakers_against_semi_sorted};

const MAIN: &str = "study";
/// The strategy that the findings recommend.
const RECOMMENDED: &str = "semi-sorted";
/// The phone error rate of the best epoch, on the validation set.
const PER: Metric = Metric::SequenceErrorPercent;

/// What each strategy costs and reaches: means over seeds.
pub(super) fn strategies(results: &Path) -> Result<TextTable, ReadError> {
    let Record(findings) = Record::open(results, MAIN)?;
    let mut table = TextTable::new([
        "strategy",
        "speed-up",
        "s to the best model",
        "GB",
        "loss",
        "PER %",
        "WER %",
    ]);
    for (row, found) in findings.rows.iter().enumerate() {
        let number = |metric, decimals: usize| {
            let mean = findings.mean(row, metric);
            mean.map_or("–".into(), |mean| format!("{mean:.decimals$}"))
        };
        let speed = found.speed.map_or(1.0, |change| change.estimate);
        table.add_row([
            findings.name(row).to_owned(),
            format!("{speed:.2}×"),
            number(Metric::BestEpochSeconds, 1),
            number(Metric::MemoryGb, 2),
            number(Metric::ValidationLoss, 3),
            number(PER, 1),
            number(Metric::TestWordErrorPercent, 2),
        ]);
    }
    Ok(table)
}

/// The row of a strategy.
fn row(record: &Record, name: &str) -> Result<usize, ReadError> {
    let missing = || record.problem(format!("no strategy `{name}`"));
    record.0.row(name).ok_or_else(missing)
}

/// A difference and its confidence interval.
fn change_cell(change: Option<Change>, decimals: usize) -> String {
    with_interval(change, |value| signed(value, decimals))
}

/// A ratio and its confidence interval.
fn ratio_cell(change: Option<Change>) -> String {
    with_interval(change, |value| format!("{value:.2}"))
}

fn with_interval(change: Option<Change>, shown: impl Fn(f64) -> String) -> String {
    let tested = change.and_then(|change| Some((change.estimate, change.tested?)));
    tested.map_or("–".into(), |(estimate, tested)| {
        let [estimate, low, high] = [estimate, tested.low, tested.high].map(shown);
        format!("{estimate} ({low} to {high})")
    })
}

fn p_cell(change: Option<Change>) -> String {
    change.and_then(p_value).unwrap_or_else(|| "–".into())
}

/// The size of a difference that the test would find.
fn detectable_cell(change: Option<Change>, decimals: usize) -> String {
    let size = change.and_then(|change| change.tested?.detectable);
    size.map_or("–".into(), |size| format!("{size:.decimals$}"))
}
