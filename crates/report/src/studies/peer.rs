//! Comparison with PyTorch on the same batches, as measured by `scripts/peer.py`.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::findings::Findings;
use crate::record::{EpochRow, MAX_TABLE_BYTES, ReadError, bytes_of};
use crate::statistics::{mean, median, student_quantile};
use crate::tables::TextTable;
use crate::text::{NOTHING, p_text, signed};

/// A line written by `scripts/peer.py`.
#[derive(Deserialize)]
struct PeerRow {
    strategy: String,
    seed: u64,
    epoch: u64,
    utterances: u64,
    train_seconds: f64,
    validation_loss: f64,
    peak_bytes: Option<u64>,
    /// Of CTC, as a fraction. Files of earlier versions do not have it.
    sequence_error_rate: Option<f64>,
}

fn read(file: &Path) -> Result<Vec<PeerRow>, ReadError> {
    let reading = |error: csv::Error| ReadError::File {
        path: file.into(),
        problem: error.to_string(),
    };
    let content = bytes_of(file, MAX_TABLE_BYTES)?;
    let mut reader = csv::Reader::from_reader(content.as_slice());
    reader
        .deserialize()
        .collect::<Result<_, _>>()
        .map_err(reading)
}

/// Compares losses and error rates with PyTorch, epoch by epoch, over all strategies and seeds. Each cell is a mean and the lowest and
/// highest run.
pub fn peer_by_epoch(findings: &Findings, file: &Path) -> Result<TextTable, ReadError> {
    let theirs = read(file)?;
    let ours = &findings.recorded.epochs;
    let mut table = TextTable::new([
        "epoch",
        "loss",
        "PyTorch loss",
        "error %",
        "PyTorch error %",
        "runs",
        "PyTorch runs",
    ]);
    let error = findings.error_by_epoch().of_epoch;
    let last = ours.iter().map(|row| row.epoch).max().unwrap_or(0);
    for epoch in 1..=last {
        let own = || ours.iter().filter(|row| row.epoch == epoch);
        let their = || theirs.iter().filter(|row| row.epoch == epoch);
        let their_errors = their().filter_map(|row| Some(100.0 * row.sequence_error_rate?));
        table.add_row([
            epoch.to_string(),
            spread(own().filter_map(|row| row.validation_loss)),
            spread(their().map(|row| row.validation_loss)),
            spread(own().filter_map(error)),
            spread(their_errors),
            own().count().to_string(),
            their().count().to_string(),
        ]);
    }
    Ok(table)
}

/// Compares the loss of every strategy with PyTorch's, epoch by epoch: Student's t-test of the difference of the means, without correction
/// for the number of rows.
///
/// The noise of an epoch is the standard deviation between runs of one strategy, pooled over all strategies of the record. PyTorch's runs
/// are assumed to differ as much.
pub fn peer_losses(findings: &Findings, file: &Path) -> Result<TextTable, ReadError> {
    let theirs = read(file)?;
    let ours = &findings.recorded.epochs;
    let mut table = TextTable::new([
        "strategy",
        "epoch",
        "loss",
        "PyTorch loss",
        "difference",
        "95 % CI",
        "p",
    ]);
    let mut pairs: Vec<(&str, u64)> = Vec::new();
    for row in &theirs {
        let pair = (row.strategy.as_str(), row.epoch);
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    for (strategy, epoch) in pairs {
        let losses_of = |strategy: &str| {
            let rows = ours.iter().filter(|row| row.epoch == epoch);
            let rows = rows.filter(|row| row.strategy == strategy);
            collect(rows.filter_map(|row| row.validation_loss))
        };
        let our_losses = losses_of(strategy);
        if our_losses.is_empty() {
            continue;
        }
        let their_rows = theirs.iter().filter(|row| row.strategy == strategy);
        let their_rows = their_rows.filter(|row| row.epoch == epoch);
        let their_losses = collect(their_rows.map(|row| row.validation_loss));
        let strategies = findings.recorded.config.strategy.iter();
        let by_strategy = strategies.map(|other| losses_of(&other.name));
        let (variance, degrees) = pooled_variance(by_strategy);
        let difference = mean(&our_losses) - mean(&their_losses);
        let runs = 1.0 / our_losses.len() as f64 + 1.0 / their_losses.len() as f64;
        let error = (variance * runs).sqrt();
        let half_width = error * student_quantile(degrees);
        let student = StudentsT::new(0.0, 1.0, degrees).ok();
        let tested = student.filter(|_| error > 0.0).map(|student| {
            let [low, high] = [difference - half_width, difference + half_width];
            let interval = format!("{} to {}", signed(low, 3), signed(high, 3));
            [
                interval,
                p_text(2.0 * student.sf((difference / error).abs())),
            ]
        });
        let [interval, p] = tested.unwrap_or_else(|| [NOTHING.into(), NOTHING.into()]);
        table.add_row([
            strategy.to_owned(),
            epoch.to_string(),
            format!("{:.3}", mean(&our_losses)),
            format!("{:.3}", mean(&their_losses)),
            signed(difference, 3),
            interval,
            p,
        ]);
    }
    Ok(table)
}

/// The variance within groups, and its degrees of freedom.
fn pooled_variance(groups: impl Iterator<Item = Vec<f64>>) -> (f64, f64) {
    let groups = groups.filter(|values| !values.is_empty());
    let (squares, degrees) = groups.fold((0.0, 0.0), |(squares, degrees), values| {
        let centre = mean(&values);
        let deviations: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
        (squares + deviations, degrees + values.len() as f64 - 1.0)
    });
    (squares / degrees, degrees)
}

/// The mean of some values, and the lowest and highest.
fn spread(values: impl Iterator<Item = f64>) -> String {
    let values = collect(values);
    let Some(lowest) = values.iter().copied().reduce(f64::min) else {
        return NOTHING.into();
    };
    let highest = values.iter().copied().fold(lowest, f64::max);
    format!("{:.1} ({lowest:.1}–{highest:.1})", mean(&values))
}

/// Compares a run with PyTorch, by strategy. Speed is the median and memory the peak over all epochs of each side. Losses are means
/// over the common epochs and seeds.
pub fn peer(findings: &Findings, file: &Path) -> Result<TextTable, ReadError> {
    let theirs = read(file)?;
    let ours = &findings.recorded.epochs;
    let own: HashMap<(&str, u64, u64), &EpochRow> = ours
        .iter()
        .map(|row| ((row.strategy.as_str(), row.seed, row.epoch), row))
        .collect();
    let mut table = TextTable::new([
        "strategy",
        "utt/s",
        "PyTorch utt/s",
        "speed-up",
        "GB",
        "PyTorch GB",
        "loss",
        "PyTorch loss",
        "common epochs",
    ]);
    let mut strategies: Vec<&str> = theirs.iter().map(|row| row.strategy.as_str()).collect();
    strategies.dedup();
    for strategy in strategies {
        let ours = || ours.iter().filter(|row| row.strategy == strategy);
        let theirs = || theirs.iter().filter(|row| row.strategy == strategy);
        let speeds = [
            collect(ours().map(|row| row.utterances as f64 / row.train_seconds)),
            collect(theirs().map(|row| row.utterances as f64 / row.train_seconds)),
        ]
        .map(|speeds| median(&speeds));
        let peak = [
            ours().filter_map(|row| row.device_peak_bytes).max(),
            theirs().filter_map(|row| row.peak_bytes).max(),
        ]
        .map(|bytes| bytes.unwrap_or(0) as f64 / 1e9);
        let both = theirs().filter_map(|row| {
            let own = own.get(&(strategy, row.seed, row.epoch))?;
            Some((own.validation_loss?, row.validation_loss))
        });
        let (own_losses, their_losses): (Vec<f64>, Vec<f64>) = both.unzip();
        table.add_row([
            strategy.to_owned(),
            format!("{:.1}", speeds[0]),
            format!("{:.1}", speeds[1]),
            format!("{:.1}×", speeds[0] / speeds[1]),
            format!("{:.2}", peak[0]),
            format!("{:.2}", peak[1]),
            format!("{:.3}", mean(&own_losses)),
            format!("{:.3}", mean(&their_losses)),
            own_losses.len().to_string(),
        ]);
    }
    Ok(table)
}

fn collect(values: impl Iterator<Item = f64>) -> Vec<f64> {
    values.collect()
}
