//! The study at convergence: its pilot, the learning rate of each strategy, and what it found.

use std::path::Path;

use super::records::{ERRORS, LOSS, Record, epoch_titles, means};
use crate::record::{Metric, ReadError, Run, resampled};
use crate::statistics::{Change, Scale, corrected};
use crate::tables::TextTable;
use crate::text::{p_value, signed};

const MAIN: &str = "study";
/// Strategies that differ in one decision: without it, and with it.
const DECISIONS: [(&str, &str, &str); 5] = [
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
    ("more bins", "8 bins", "64 bins"),
];

/// The learning rates that every strategy was trained with, lowest first.
const RATES: [&str; 3] = ["0.0005", "0.001", "0.002"];

/// Loss by epoch of the pilot, whose runs ended at different epochs, and the epoch with the lowest loss.
pub(super) fn pilot(results: &Path) -> Result<TextTable, ReadError> {
    let record = Record::open(results, "study-pilot")?;
    let epochs = record.0.recorded.config.train.epochs as usize;
    let mut table = TextTable::new(["strategy"]);
    table.header.extend(epoch_titles(epochs));
    table.header.push("epoch with the lowest".to_owned());
    for strategy in record.strategies() {
        // The pilot was ended before the others.
        let Ok(runs) = record.runs(strategy) else {
            continue;
        };
        let losses = means(&runs, LOSS);
        let mut cells = vec![strategy.to_owned()];
        cells.extend(losses.iter().map(|loss| format!("{loss:.3}")));
        cells.resize(1 + epochs, String::new());
        cells.push(lowest(&losses).map_or(String::new(), |epoch| (epoch + 1).to_string()));
        table.add_row(cells);
    }
    Ok(table)
}

/// The lowest loss of each strategy at every learning rate, the phone errors of that epoch, and the rate with the lowest loss.
pub(super) fn learning_rates(results: &Path) -> Result<TextTable, ReadError> {
    let records = RATES.map(|rate| Record::open(results, &format!("study-rate-{rate}")));
    let [low, middle, high] = records;
    let records = [low?, middle?, high?];
    let mut table = TextTable::new(["strategy"]);
    for value in ["loss", "PER %"] {
        let titles = RATES.map(|rate| format!("{value} at {rate}"));
        table.header.extend(titles);
    }
    table.header.push("chosen rate".to_owned());
    for strategy in records[0].strategies() {
        let mut losses = Vec::new();
        let mut errors = Vec::new();
        for record in &records {
            let (loss, error) = best(&record.runs(strategy)?);
            losses.push(loss);
            errors.push(error);
        }
        let mut cells = vec![strategy.to_owned()];
        cells.extend(losses.iter().map(|loss| format!("{loss:.3}")));
        cells.extend(errors.iter().map(|error| format!("{error:.1}")));
        cells.push(lowest(&losses).map_or(String::new(), |rate| RATES[rate].to_owned()));
        table.add_row(cells);
    }
    Ok(table)
}

/// Speed, loss and word errors of each strategy, compared with random batches.
pub(super) fn strategies(results: &Path) -> Result<TextTable, ReadError> {
    let Record(findings) = Record::open(results, MAIN)?;
    let mut table = TextTable::new([
        "strategy",
        "speed-up",
        "s to the best model",
        "GB",
        "loss",
        "loss difference (95 % CI)",
        "loss p",
        "WER %",
        "WER difference (95 % CI)",
        "WER p",
        "WER detectable",
    ]);
    for (row, found) in findings.rows.iter().enumerate() {
        let number = |metric, decimals: usize| {
            let mean = findings.mean(row, metric);
            mean.map_or("–".into(), |mean| format!("{mean:.decimals$}"))
        };
        let speed = found.speed.map_or(1.0, |change| change.estimate);
        let detectable = found.errors.and_then(|change| change.tested?.detectable);
        table.add_row([
            findings.name(row).to_owned(),
            format!("{speed:.2}×"),
            number(Metric::BestEpochSeconds, 1),
            number(Metric::MemoryGb, 2),
            number(Metric::ValidationLoss, 3),
            change_cell(found.loss, 3),
            p_cell(found.loss),
            number(Metric::TestWordErrorPercent, 2),
            change_cell(found.errors, 2),
            p_cell(found.errors),
            detectable.map_or("–".into(), |size| format!("{size:.2}")),
        ]);
    }
    Ok(table)
}

/// The effect of one decision on loss (paired t-test) and word error rate (bootstrap), with Holm's correction.
pub(super) fn decisions(results: &Path) -> Result<TextTable, ReadError> {
    let record = Record::open(results, MAIN)?;
    let Record(findings) = &record;
    let row = |name: &str| {
        let missing = || record.problem(format!("no strategy `{name}`"));
        findings.row(name).ok_or_else(missing)
    };
    let mut pairs = Vec::new();
    for (_, without, with) in DECISIONS {
        pairs.push((row(without)?, row(with)?));
    }
    let losses = pairs.iter().map(|&(old, new)| {
        let by_seed = |row| findings.by_seed(row, Metric::ValidationLoss);
        Change::between(&by_seed(old), &by_seed(new), Scale::Difference)
    });
    let losses = corrected(losses.collect());
    let runs: Vec<Vec<Run>> = (0..findings.rows.len())
        .map(|row| findings.runs(row))
        .collect();
    let words = resampled(&runs, &findings.recorded.words.utterances, &pairs);
    let words = corrected(words.changes);
    let mut table = TextTable::new([
        "decision",
        "without",
        "with",
        "loss difference (95 % CI)",
        "loss p",
        "WER difference (95 % CI)",
        "WER p",
    ]);
    for (at, (decision, without, with)) in DECISIONS.into_iter().enumerate() {
        table.add_row([
            decision.to_owned(),
            without.to_owned(),
            with.to_owned(),
            change_cell(losses[at], 3),
            p_cell(losses[at]),
            change_cell(words[at], 2),
            p_cell(words[at]),
        ]);
    }
    Ok(table)
}

fn change_cell(change: Option<Change>, decimals: usize) -> String {
    let tested = change.and_then(|change| Some((change.estimate, change.tested?)));
    tested.map_or("–".into(), |(estimate, tested)| {
        let [estimate, low, high] =
            [estimate, tested.low, tested.high].map(|value| signed(value, decimals));
        format!("{estimate} ({low} to {high})")
    })
}

fn p_cell(change: Option<Change>) -> String {
    change.and_then(p_value).unwrap_or_else(|| "–".into())
}

/// Loss and phone errors of the epoch with the lowest loss.
fn best(runs: &[Run]) -> (f64, f64) {
    let (losses, errors) = (means(runs, LOSS), means(runs, ERRORS));
    let epoch = lowest(&losses).unwrap_or(0);
    (losses[epoch], errors[epoch])
}

fn lowest(losses: &[f64]) -> Option<usize> {
    (0..losses.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b]))
}
