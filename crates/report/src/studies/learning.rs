//! Studies of learning: losses and error rates of strategies by epoch, by step and by time.

use std::path::Path;

use super::records::{ERRORS, LOSS, Record, by_epoch, differences, epoch_titles, means, min_max};
use crate::record::{EpochRow, Metric, ReadError, Run};
use crate::statistics::mean;
use crate::tables::TextTable;

type StudyResult = Result<TextTable, ReadError>;

const COMBINATIONS: &str = "ge-table2-librispeech";
const PAIRS: [(&str, &str); 3] = [
    ("SB", "SB-BR"),
    ("SSB", "SSB-BR"),
    ("SSB-DBS", "SSB-DBS-BR"),
];
const STEPS: [&str; 3] = ["RAND", "SSB-BR", "SSB-DBS-BR"];
/// Results folders with three seeds on real speech and a baseline.
const WITH_ERRORS: [&str; 6] = [
    "doetsch-table2-librispeech",
    "doetsch-table1-librispeech",
    COMBINATIONS,
    TWELVE_EPOCHS,
    "last-utterances",
    "last-utterances-whole-batches",
];
const TWELVE_EPOCHS: &str = "twelve-epochs-librispeech";
/// Learning rates that were also run with dynamic batch sizes.
const RATES: [&str; 2] = ["0.002", "0.004"];
const DYNAMIC: &str = "SSB-DBS-BR";
/// Seconds of training after which error rates are compared.
const TIMES: [u32; 6] = [5, 10, 15, 20, 27, 40];

/// The effect of shuffling batches on the loss, by epoch.
pub(super) fn shuffled_batches(results: &Path) -> StudyResult {
    let record = Record::open(results, COMBINATIONS)?;
    let epochs = by_epoch(&record.runs(PAIRS[0].0)?, LOSS).len();
    let mut titles = vec!["ordered batches".to_owned(), "shuffled batches".to_owned()];
    titles.extend(epoch_titles(epochs));
    titles.push("last epoch, min and max over seeds".to_owned());
    let mut table = TextTable::new(titles);
    for (ordered, shuffled) in PAIRS {
        let losses = |name| Ok(by_epoch(&record.runs(name)?, LOSS));
        let change = differences(&losses(ordered)?, &losses(shuffled)?);
        let mut cells = vec![ordered.to_owned(), shuffled.to_owned()];
        cells.extend(change.iter().map(|epoch| format!("{:+.3}", mean(epoch))));
        let (low, high) = min_max(change.last().map_or(&[], Vec::as_slice));
        cells.push(format!("{low:+.3}, {high:+.3}"));
        table.add_row(cells);
    }
    Ok(table)
}

/// Loss by epoch, with the number of steps so far.
pub(super) fn steps(results: &Path) -> StudyResult {
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

/// Final phone error rates that differ from the baseline: the 95 % confidence interval of the difference excludes zero.
pub(super) fn errors(results: &Path) -> StudyResult {
    let mut table = TextTable::new([
        "record",
        "strategy",
        "PER %",
        "difference (points)",
        "95 % CI",
        "p",
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

/// Phone error rate after a given training time: that of the last completed epoch, mean over seeds.
pub(super) fn by_time(results: &Path) -> StudyResult {
    let mut titles = vec!["strategy".to_owned()];
    titles.extend(TIMES.map(|time| format!("{time} s")));
    titles.extend(
        [
            "lowest PER % (epoch, time)",
            "lowest loss (epoch, time)",
            "last loss",
        ]
        .map(str::to_owned),
    );
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
        // A strategy that finished earlier keeps its last error rate.
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

/// Loss by epoch, and the difference of the last loss from the first row of the results folder, by seed.
pub(super) fn last_utterances(results: &Path) -> StudyResult {
    let mut table = TextTable::new(["alternated order"]);
    for (record, suffix) in [
        ("last-utterances", ""),
        ("last-utterances-whole-batches", ", whole batches"),
    ] {
        let record = Record::open(results, record)?;
        let mut first: Option<Vec<Vec<f64>>> = None;
        for strategy in record.strategies() {
            let losses = by_epoch(&record.runs(strategy)?, LOSS);
            if table.header.len() == 1 {
                table.header.extend(epoch_titles(losses.len()));
                let difference = "difference from one bin, last epoch, min to max over seeds";
                table.header.push(difference.to_owned());
            }
            let mut cells = vec![format!("{strategy}{suffix}")];
            cells.extend(losses.iter().map(|epoch| format!("{:.3}", mean(epoch))));
            cells.push(first.as_ref().map_or(String::new(), |first| {
                let change = differences(first, &losses);
                let (low, high) = min_max(change.last().map_or(&[], Vec::as_slice));
                format!("{low:+.3} to {high:+.3}")
            }));
            table.add_row(cells);
            first.get_or_insert(losses);
        }
    }
    Ok(table)
}

/// Phone error rates of dynamic batch sizes at two learning rates, and the reduction by the higher rate, by seed.
pub(super) fn rates(results: &Path) -> StudyResult {
    let mut table = TextTable::new([
        "epoch",
        "PER % at rate 0.001",
        "PER % at rate 0.002",
        "mean reduction (points)",
        "reduction by seed",
    ]);
    let errors = |record: &str| {
        let record = Record::open(results, record)?;
        Ok(by_epoch(&record.runs(DYNAMIC)?, ERRORS))
    };
    let (usual, doubled) = (errors(TWELVE_EPOCHS)?, errors("dynamic-sizes-rate-0.002")?);
    let reduction = differences(&doubled, &usual);
    for (epoch, reduction) in reduction.iter().enumerate().skip(1).step_by(2) {
        let by_seed: Vec<String> = reduction
            .iter()
            .map(|points| format!("{points:.1}"))
            .collect();
        table.add_row([
            (epoch + 1).to_string(),
            format!("{:.1}", mean(&usual[epoch])),
            format!("{:.1}", mean(&doubled[epoch])),
            format!("{:.1}", mean(reduction)),
            by_seed.join(", "),
        ]);
    }
    Ok(table)
}
