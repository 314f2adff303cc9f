//! Studies of training time: cost per batch, per padded frame, and per frame of the longest utterance in each batch.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use super::records::Record;
use crate::record::{EpochRow, MAX_TABLE_BYTES, ReadError, bytes_of};
use crate::statistics::{least_squares, median};
use crate::tables::TextTable;
use crate::text::with_thousands;

const BUCKETS: &str = "khomenko-buckets-h200";
/// Run folders whose training time is fitted by batches and padded frames.
const FITTED: [&str; 4] = [
    "doetsch-table2-librispeech",
    "ge-table2-librispeech",
    "doetsch-table2-chime4",
    "ge-table2-ljspeech",
];

/// A line of `longest.csv`, written by `padwise export`: the longest utterance of each batch, summed over an epoch.
#[derive(Deserialize)]
struct Longest {
    strategy: String,
    seed: u64,
    epoch: u64,
    batches: u64,
    longest_frames: f64,
}

/// The median of each column.
fn medians<const N: usize>(rows: &[[f64; N]]) -> [f64; N] {
    std::array::from_fn(|at| median(&rows.iter().map(|row| row[at]).collect::<Vec<_>>()))
}

/// The epochs of a strategy, from all its runs.
fn epochs<'a>(record: &'a Record, strategy: &str) -> Result<Vec<&'a EpochRow>, ReadError> {
    let runs = record.runs(strategy)?;
    Ok(runs.into_iter().flat_map(|run| run.epochs).collect())
}

/// Medians over epochs for every number of buckets: batches, frames of the longest utterances, padded frames, seconds.
fn bucket_epochs(record: &Record) -> Result<Vec<[f64; 4]>, ReadError> {
    let path = record.0.recorded.folder.join("longest.csv");
    let reading = |error: csv::Error| ReadError::File {
        path: path.clone(),
        problem: error.to_string(),
    };
    let mut longest = HashMap::new();
    let content = bytes_of(&path, MAX_TABLE_BYTES)?;
    for line in csv::Reader::from_reader(content.as_slice()).deserialize() {
        let line: Longest = line.map_err(reading)?;
        // The number of batches is part of the key to detect a file from another corpus.
        let key = (line.strategy, line.seed, line.epoch, line.batches);
        longest.insert(key, line.longest_frames);
    }
    let of = |row: &EpochRow| {
        let key = (row.strategy.clone(), row.seed, row.epoch, row.batches);
        let Some(&longest) = longest.get(&key) else {
            let (epoch, strategy) = (row.epoch, &row.strategy);
            let problem = format!("longest.csv has no line for epoch {epoch} of `{strategy}`");
            return Err(record.problem(problem));
        };
        let (batches, padded) = (row.batches as f64, row.padded_frames as f64);
        Ok([batches, longest, padded, row.train_seconds])
    };
    let strategies = record.strategies().map(|strategy| {
        let rows = epochs(record, strategy)?;
        let rows: Vec<_> = rows.into_iter().map(of).collect::<Result<_, _>>()?;
        Ok(medians(&rows))
    });
    strategies.collect()
}

/// Speed-up over one bucket: measured, predicted from padded frames, and predicted from the longest utterance of each batch.
pub(super) fn buckets(results: &Path) -> Result<TextTable, ReadError> {
    let record = Record::open(results, BUCKETS)?;
    let found = bucket_epochs(&record)?;
    let mut table = TextTable::new([
        "buckets",
        "predicted from padded frames",
        "predicted from longest utterances",
        "measured speed-up",
    ]);
    let first = found.first().copied().unwrap_or_default();
    for (row, [_, longest, padded, _]) in found.into_iter().enumerate() {
        let measured = record.0.rows[row].speed.map_or(1.0, |speed| speed.estimate);
        table.add_row([
            record.0.name(row).to_owned(),
            format!("{:.2}", first[2] / padded),
            format!("{:.2}", first[1] / longest),
            format!("{measured:.2}"),
        ]);
    }
    Ok(table)
}

/// Linear fits of the training time by batches, frames of the longest utterance of each batch, and padded frames, with the largest
/// error of each fit.
pub(super) fn bucket_cost(results: &Path) -> Result<TextTable, ReadError> {
    let record = Record::open(results, BUCKETS)?;
    let found = bucket_epochs(&record)?;
    let mut table = TextTable::new([
        "fitted by",
        "ms/batch",
        "µs/frame of longest utterance",
        "µs/padded frame",
        "max. error %",
    ]);
    let ways: [(&str, &[usize]); 3] = [
        ("batches and padded frames", &[0, 2]),
        ("batches and longest utterances", &[0, 1]),
        ("all three", &[0, 1, 2]),
    ];
    for (name, used) in ways {
        let rows = found.iter().map(|row| {
            let used = used.iter().chain(&[3]);
            used.map(|&column| row[column]).collect::<Vec<_>>()
        });
        let rows: Vec<Vec<f64>> = rows.collect();
        let Some(weights) = least_squares(&rows) else {
            return Err(record.problem("too few strategies for a fit".into()));
        };
        let errors = rows.iter().map(|row| relative_error(&weights, row).abs());
        let mut cells = vec![name.to_owned()];
        cells.extend([(0, 1e3, 2), (1, 1e6, 1), (2, 1e6, 3)].map(
            |(column, scale, decimals): (usize, f64, usize)| {
                let at = used.iter().position(|used| *used == column);
                at.map_or(String::new(), |at| {
                    format!("{:.decimals$}", scale * weights[at])
                })
            },
        ));
        cells.push(format!("{:.1}", 100.0 * errors.fold(0.0, f64::max)));
        table.add_row(cells);
    }
    Ok(table)
}

/// The relative error of a fit for a row, whose last number is the measured time.
fn relative_error(weights: &[f64], row: &[f64]) -> f64 {
    let sum: f64 = weights.iter().zip(row).map(|(a, b)| a * b).sum();
    sum / row[row.len() - 1] - 1.0
}

/// Training time as a cost per batch and a cost per padded frame. A least-squares fit over the strategies with fixed batch size, by
/// the median epoch of each; its errors for dynamic batch sizes are in the last column. Chunks are left out.
pub(super) fn step_cost(results: &Path) -> Result<TextTable, ReadError> {
    let mut table = TextTable::new([
        "record",
        "ms/batch",
        "padded frames/s",
        "max. error (fixed size)",
        "error (dynamic size)",
    ]);
    for name in FITTED {
        let record = Record::open(results, name)?;
        let mut fixed_size = Vec::new();
        let mut dynamic_size = Vec::new();
        for (strategy, summary) in record.strategies().zip(&record.0.summary.rows) {
            let mut rows = epochs(&record, strategy)?;
            rows.retain(|row| row.utterances == row.items);
            if rows.is_empty() {
                continue;
            }
            let numbers = |row: &&EpochRow| {
                [
                    row.batches as f64,
                    row.padded_frames as f64,
                    row.train_seconds,
                ]
            };
            let median = medians(&rows.iter().map(numbers).collect::<Vec<_>>());
            match summary.resolved.contains("dynamic") {
                true => dynamic_size.push((strategy, median)),
                false => fixed_size.push((strategy, median)),
            }
        }
        let rows: Vec<_> = fixed_size.iter().map(|(_, row)| row).collect();
        let Some(weights) = least_squares(&rows) else {
            return Err(record.problem("too few strategies for a fit".into()));
        };
        let percent = |row: &[f64; 3]| 100.0 * relative_error(&weights, row);
        let named =
            |(strategy, row): &(&str, [f64; 3])| format!("{strategy}: {:+.1} %", percent(row));
        let worst = fixed_size.iter().max_by(|a, b| {
            let [a, b] = [a, b].map(|(_, row)| percent(row).abs());
            a.total_cmp(&b)
        });
        let others: Vec<String> = dynamic_size.iter().map(named).collect();
        table.add_row([
            format!("`{name}`"),
            format!("{:.2}", 1e3 * weights[0]),
            with_thousands(&format!("{:.0}", 1.0 / weights[1])),
            worst.map_or(String::new(), named),
            others.join(", "),
        ]);
    }
    Ok(table)
}
