//! What the time of epochs goes by: batches, padded frames, the longest utterances of batches.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use super::records::Record;
use crate::record::{EpochRow, ReadError};
use crate::statistics::{least_squares, median};
use crate::tables::TextTable;
use crate::text::with_thousands;

const BUCKETS: &str = "khomenko-buckets-h200";
/// Records whose epochs are taken apart into batches and padded frames.
const TAKEN_APART: [&str; 4] = [
    "doetsch-table2-librispeech",
    "ge-table2-librispeech",
    "doetsch-table2-chime4",
    "ge-table2-ljspeech",
];

/// A line of `longest.csv`, which `padwise export` writes: how long the longest utterances of an epoch's batches are, added up.
#[derive(Deserialize)]
struct Longest {
    strategy: String,
    seed: u64,
    epoch: u64,
    batches: u64,
    longest_frames: f64,
}

/// Medians of these numbers, over rows.
fn medians<const N: usize>(rows: &[[f64; N]]) -> [f64; N] {
    std::array::from_fn(|at| median(&rows.iter().map(|row| row[at]).collect::<Vec<_>>()))
}

/// The epochs of a strategy, over all its runs.
fn epochs<'a>(record: &'a Record, strategy: &str) -> Result<Vec<&'a EpochRow>, ReadError> {
    let runs = record.runs(strategy)?;
    Ok(runs.into_iter().flat_map(|run| run.epochs).collect())
}

/// Medians over the epochs of every number of buckets: batches, frames of the longest utterances of batches, padded frames, seconds.
fn bucket_epochs(record: &Record) -> Result<Vec<[f64; 4]>, ReadError> {
    let path = record.0.recorded.folder.join("longest.csv");
    let reading = |error: csv::Error| ReadError::File {
        path: path.clone(),
        problem: error.to_string(),
    };
    let mut longest = HashMap::new();
    for line in csv::Reader::from_path(&path)
        .map_err(reading)?
        .deserialize()
    {
        let line: Longest = line.map_err(reading)?;
        // By batches as well, so that those of another corpus are not found.
        let key = (line.strategy, line.seed, line.epoch, line.batches);
        longest.insert(key, line.longest_frames);
    }
    let of = |row: &EpochRow| {
        let key = (row.strategy.clone(), row.seed, row.epoch, row.batches);
        let Some(&longest) = longest.get(&key) else {
            let (epoch, strategy) = (row.epoch, &row.strategy);
            let problem = format!("longest.csv has nothing of epoch {epoch} of `{strategy}`");
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

/// How many times as fast as one bucket, and what would follow if time went into padded frames, or into frames up to the longest
/// utterance of a batch.
pub(super) fn buckets(results: &Path) -> Result<TextTable, ReadError> {
    let record = Record::open(results, BUCKETS)?;
    let found = bucket_epochs(&record)?;
    let mut table = TextTable::new([
        "buckets",
        "by padded frames",
        "by frames to the longest utterance of each batch",
        "measured",
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

/// What each batch, each frame of a batch's longest utterance and each padded frame take, and how far off at most that is: by two of
/// them, and by all.
pub(super) fn bucket_cost(results: &Path) -> Result<TextTable, ReadError> {
    let record = Record::open(results, BUCKETS)?;
    let found = bucket_epochs(&record)?;
    let mut table = TextTable::new([
        "time goes by",
        "ms a batch",
        "µs a frame of the longest utterance",
        "µs a padded frame",
        "at most off by %",
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
            return Err(record.problem("too few numbers of buckets to fit".into()));
        };
        let off = rows.iter().map(|row| off(&weights, row).abs());
        let mut cells = vec![name.to_owned()];
        cells.extend([(0, 1e3, 2), (1, 1e6, 1), (2, 1e6, 3)].map(
            |(column, scale, decimals): (usize, f64, usize)| {
                let at = used.iter().position(|used| *used == column);
                at.map_or(String::new(), |at| {
                    format!("{:.decimals$}", scale * weights[at])
                })
            },
        ));
        cells.push(format!("{:.1}", 100.0 * off.fold(0.0, f64::max)));
        table.add_row(cells);
    }
    Ok(table)
}

/// How far off weights are, as a share of what was measured, which is the last number of a row.
fn off(weights: &[f64], row: &[f64]) -> f64 {
    let sum: f64 = weights.iter().zip(row).map(|(a, b)| a * b).sum();
    sum / row[row.len() - 1] - 1.0
}

/// Takes the time of epochs apart: so much for every batch, so much for every padded frame. Least squares over the strategies of
/// each record whose batches have one size, the median epoch of each; what that gives for batches of dynamic size stands beside
/// it. Chunks are left out.
pub(super) fn step_cost(results: &Path) -> Result<TextTable, ReadError> {
    let mut table = TextTable::new([
        "record",
        "ms a batch",
        "frames a second beyond that",
        "furthest off of batches of one size",
        "of dynamic sizes",
    ]);
    for name in TAKEN_APART {
        let record = Record::open(results, name)?;
        let mut of_one_size = Vec::new();
        let mut of_dynamic_size = Vec::new();
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
                true => of_dynamic_size.push((strategy, median)),
                false => of_one_size.push((strategy, median)),
            }
        }
        let rows: Vec<_> = of_one_size.iter().map(|(_, row)| row).collect();
        let Some(weights) = least_squares(&rows) else {
            return Err(record.problem("too few strategies to fit".into()));
        };
        let percent = |row: &[f64; 3]| 100.0 * off(&weights, row);
        let said =
            |(strategy, row): &(&str, [f64; 3])| format!("{strategy}: {:+.1} %", percent(row));
        let worst = of_one_size.iter().max_by(|a, b| {
            let [a, b] = [a, b].map(|(_, row)| percent(row).abs());
            a.total_cmp(&b)
        });
        let others: Vec<String> = of_dynamic_size.iter().map(said).collect();
        table.add_row([
            format!("`{name}`"),
            format!("{:.2}", 1e3 * weights[0]),
            with_thousands(&format!("{:.0}", 1.0 / weights[1])),
            worst.map_or(String::new(), said),
            others.join(", "),
        ]);
    }
    Ok(table)
}
