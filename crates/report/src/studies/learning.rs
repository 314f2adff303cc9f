//! What was learned: losses and errors of strategies beside each other, by epoch, by step and by time.

use std::path::Path;

use super::records::{ERRORS, LOSS, Record, by_epoch, differences, ends, epoch_titles, means};
use crate::record::{EpochRow, Metric, ReadError, Run};
use crate::statistics::mean;
use crate::tables::TextTable;

type Made = Result<TextTable, ReadError>;

const COMBINATIONS: &str = "ge-table2-librispeech";
const PAIRS: [(&str, &str); 3] = [
    ("SB", "SB-BR"),
    ("SSB", "SSB-BR"),
    ("SSB-DBS", "SSB-DBS-BR"),
];
const STEPS: [&str; 3] = ["RAND", "SSB-BR", "SSB-DBS-BR"];
/// Records with three seeds on real speech, and something to compare with.
const WITH_ERRORS: [&str; 6] = [
    "doetsch-table2-librispeech",
    "doetsch-table1-librispeech",
    COMBINATIONS,
    TWELVE_EPOCHS,
    "last-utterances",
    "last-utterances-whole-batches",
];
const TWELVE_EPOCHS: &str = "twelve-epochs-librispeech";
/// Dynamic sizes at other rates than the record of twelve epochs has.
const RATES: [&str; 2] = ["0.002", "0.004"];
const DYNAMIC: &str = "SSB-DBS-BR";
/// Seconds of training after which errors are looked up.
const TIMES: [u32; 6] = [5, 10, 15, 20, 27, 40];

/// What it does to the loss that batches come in random order, epoch by epoch.
pub(super) fn shuffled_batches(results: &Path) -> Made {
    let record = Record::open(results, COMBINATIONS)?;
    let epochs = by_epoch(&record.runs(PAIRS[0].0)?, LOSS).len();
    let mut titles = vec!["in order".to_owned(), "shuffled".to_owned()];
    titles.extend(epoch_titles(epochs));
    titles.push("lowest and highest of the last, by seed".to_owned());
    let mut table = TextTable::new(titles);
    for (ordered, shuffled) in PAIRS {
        let losses = |name| Ok(by_epoch(&record.runs(name)?, LOSS));
        let more = differences(&losses(ordered)?, &losses(shuffled)?);
        let mut cells = vec![ordered.to_owned(), shuffled.to_owned()];
        cells.extend(more.iter().map(|epoch| format!("{:+.3}", mean(epoch))));
        let (low, high) = ends(more.last().map_or(&[], Vec::as_slice));
        cells.push(format!("{low:+.3}, {high:+.3}"));
        table.add_row(cells);
    }
    Ok(table)
}

/// Loss by the number of steps so far.
pub(super) fn steps(results: &Path) -> Made {
    let record = Record::open(results, COMBINATIONS)?;
    let mut table = TextTable::new(["strategy"]);
    for strategy in STEPS {
        let runs = record.runs(strategy)?;
        let losses = means(&runs, LOSS);
        if table.rows.is_empty() {
            table.header.extend(epoch_titles(losses.len()));
        }
        let mut steps = 0.0;
        let batches = means(&runs, |row| Some(row.batches as f64));
        let cells = losses.iter().zip(batches).map(|(loss, batches)| {
            steps += batches;
            format!("{loss:.3} ({steps:.0})")
        });
        table.add_row(std::iter::once(strategy.to_owned()).chain(cells));
    }
    Ok(table)
}

/// Phone errors after the last epoch whose difference from the baseline's, as a report tests it, has an interval on one side of
/// zero.
pub(super) fn errors(results: &Path) -> Made {
    let mut table = TextTable::new([
        "record",
        "strategy",
        "phone errors %",
        "more than the baseline's",
        "95 % interval",
        "p, corrected",
    ]);
    for name in WITH_ERRORS {
        let Record(findings) = Record::open(results, name)?;
        for (row, found) in findings.rows.iter().enumerate() {
            let tested = found
                .errors
                .and_then(|change| Some((change, change.tested?)));
            let errors = findings.mean(row, Metric::SequenceErrorPercent);
            let Some(((change, tested), errors)) = tested.zip(errors) else {
                continue;
            };
            if tested.low * tested.high > 0.0 {
                table.add_row([
                    format!("`{name}`"),
                    findings.name(row).to_owned(),
                    format!("{errors:.1}"),
                    format!("{:+.1}", change.estimate),
                    format!("{:+.1} to {:+.1}", tested.low, tested.high),
                    format!("{:.3}", tested.p).replace("0.000", "< 0.001"),
                ]);
            }
        }
    }
    Ok(table)
}

/// Phone errors of the last epoch that had ended after so many seconds of training, averaged over seeds.
pub(super) fn by_time(results: &Path) -> Made {
    let mut titles = vec!["strategy".to_owned()];
    titles.extend(TIMES.map(|time| format!("{time} s")));
    titles.extend(["lowest of all epochs", "loss: lowest", "last"].map(str::to_owned));
    let mut table = TextTable::new(titles);
    let twelve = Record::open(results, TWELVE_EPOCHS)?;
    for strategy in twelve.strategies() {
        table.add_row(times_of(strategy.to_owned(), &twelve.runs(strategy)?));
    }
    for rate in RATES {
        let record = Record::open(results, &format!("dynamic-sizes-rate-{rate}"))?;
        let name = format!("{DYNAMIC}, rate {rate}");
        table.add_row(times_of(name, &record.runs(DYNAMIC)?));
    }
    Ok(table)
}

fn times_of(name: String, runs: &[Run]) -> Vec<String> {
    let mut seconds = 0.0;
    let ended = means(runs, |row: &EpochRow| Some(row.train_seconds));
    let ended: Vec<f64> = ended
        .into_iter()
        .map(|epoch| {
            seconds += epoch;
            seconds
        })
        .collect();
    let (errors, losses) = (means(runs, ERRORS), means(runs, LOSS));
    let mut cells = vec![name];
    cells.extend(TIMES.map(|time| {
        // What a strategy had at its end it still has later.
        let epochs = ended.iter().filter(|end| **end <= f64::from(time)).count();
        let reached = epochs.checked_sub(1).map(|last| errors[last]);
        reached.map_or(String::new(), |errors| format!("{errors:.1} ({epochs})"))
    }));
    let lowest = |values: &[f64], decimals: usize| {
        let numbered = values.iter().enumerate();
        let best = numbered.min_by(|a, b| a.1.total_cmp(b.1));
        best.map_or(String::new(), |(at, value)| {
            format!("{value:.decimals$} ({}, {:.1} s)", at + 1, ended[at])
        })
    };
    cells.extend([lowest(&errors, 1), lowest(&losses, 3)]);
    cells.extend(losses.last().map(|last| format!("{last:.3}")));
    cells
}

/// Loss by epoch, and how the last differs from that of the record's first row, by seed.
pub(super) fn last_utterances(results: &Path) -> Made {
    let mut table = TextTable::new(["alternated order"]);
    for (record, behind) in [
        ("last-utterances", ""),
        ("last-utterances-whole-batches", ", whole batches"),
    ] {
        let record = Record::open(results, record)?;
        let mut first: Option<Vec<Vec<f64>>> = None;
        for strategy in record.strategies() {
            let losses = by_epoch(&record.runs(strategy)?, LOSS);
            if table.header.len() == 1 {
                table.header.extend(epoch_titles(losses.len()));
                let more = "more than with one bin after the last, by seed";
                table.header.push(more.to_owned());
            }
            let mut cells = vec![format!("{strategy}{behind}")];
            cells.extend(losses.iter().map(|epoch| format!("{:.3}", mean(epoch))));
            cells.push(first.as_ref().map_or(String::new(), |first| {
                let more = differences(first, &losses);
                let (low, high) = ends(more.last().map_or(&[], Vec::as_slice));
                format!("{low:+.3} to {high:+.3}")
            }));
            table.add_row(cells);
            first.get_or_insert(losses);
        }
    }
    Ok(table)
}

/// Phone errors of dynamic sizes at two learning rates, and by how many fewer the higher one makes, by seed.
pub(super) fn rates(results: &Path) -> Made {
    let mut table = TextTable::new([
        "epoch",
        "phone errors % at 0.001",
        "at 0.002",
        "fewer by, mean",
        "by seed",
    ]);
    let errors = |record: &str| {
        let record = Record::open(results, record)?;
        Ok(by_epoch(&record.runs(DYNAMIC)?, ERRORS))
    };
    let (usual, doubled) = (errors(TWELVE_EPOCHS)?, errors("dynamic-sizes-rate-0.002")?);
    let fewer = differences(&doubled, &usual);
    for (epoch, fewer) in fewer.iter().enumerate().skip(1).step_by(2) {
        let by_seed: Vec<String> = fewer.iter().map(|fewer| format!("{fewer:.1}")).collect();
        table.add_row([
            (epoch + 1).to_string(),
            format!("{:.1}", mean(&usual[epoch])),
            format!("{:.1}", mean(&doubled[epoch])),
            format!("{:.1}", mean(fewer)),
            by_seed.join(", "),
        ]);
    }
    Ok(table)
}
