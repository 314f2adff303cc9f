//! What the study at convergence found: strategies compared with random batches, and with each other.

use std::path::Path;

use super::records::Record;
use crate::record::{Metric, ReadError, Run, TestUtterance, resampled};
use crate::statistics::{Change, Pair, Scale, SeedErrors, bootstrap, corrected};
use crate::tables::TextTable;
use crate::text::{p_value, signed};

const MAIN: &str = "study";
/// Strategies that differ in one decision: without it, and with it.
const DECISIONS: [(&str, &str, &str); 6] = [
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
    ("bins instead of buckets", "buckets", "64 bins"),
];
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

/// How loss and error rates of each strategy differ from those of random batches.
pub(super) fn differences(results: &Path) -> Result<TextTable, ReadError> {
    let Record(findings) = Record::open(results, MAIN)?;
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
    let phones = findings.compared(PER, Scale::Difference);
    for row in findings.others() {
        let found = &findings.rows[row];
        let detectable = found.errors.and_then(|change| change.tested?.detectable);
        table.add_row([
            findings.name(row).to_owned(),
            change_cell(found.loss, 3),
            p_cell(found.loss),
            change_cell(phones[row], 1),
            p_cell(phones[row]),
            change_cell(found.errors, 2),
            p_cell(found.errors),
            detectable.map_or("–".into(), |size| format!("{size:.2}")),
        ]);
    }
    Ok(table)
}

/// Differences in word error rate if whole speakers are resampled, not utterances. The id of an utterance begins with its speaker.
pub(super) fn speakers(results: &Path) -> Result<TextTable, ReadError> {
    let Record(findings) = Record::open(results, MAIN)?;
    let utterances = &findings.recorded.words.utterances;
    let mut names: Vec<&str> = utterances.iter().map(speaker).collect();
    names.sort_unstable();
    names.dedup();
    let by_speaker = |of_utterance: &dyn Fn(usize) -> u32| -> Vec<u32> {
        let sum = |name: &&str| {
            let own = (0..utterances.len()).filter(|&at| speaker(&utterances[at]) == *name);
            own.map(of_utterance).sum()
        };
        names.iter().map(sum).collect()
    };
    let words = by_speaker(&|at| utterances[at].words);
    let runs: Vec<Vec<Run>> = (0..findings.rows.len())
        .map(|row| findings.runs(row))
        .collect();
    let errors = |run: &Run| {
        let (seed, errors) = run.word_errors()?;
        Some((seed, by_speaker(&|at| errors[at])))
    };
    let errors: Vec<Vec<(u64, Vec<u32>)>> = runs
        .iter()
        .map(|runs| runs.iter().filter_map(errors).collect())
        .collect();
    let strategies: Vec<SeedErrors> = errors
        .iter()
        .map(|runs| runs.iter().map(|(seed, run)| (*seed, &run[..])).collect())
        .collect();
    let others: Vec<usize> = findings.others().collect();
    let pair = |&new: &usize| Pair {
        old: findings.baseline.unwrap_or(0),
        new,
        scale: Scale::Difference,
    };
    let pairs: Vec<Pair> = others.iter().map(pair).collect();
    let changes = corrected(bootstrap(&words, &strategies, &pairs).changes);
    let mut table = TextTable::new([
        "strategy",
        "utterances resampled: WER difference (95 % CI)",
        "p",
        "speakers resampled: WER difference (95 % CI)",
        "p with speakers",
    ]);
    for (row, change) in others.into_iter().zip(changes) {
        let found = findings.rows[row].errors;
        table.add_row([
            findings.name(row).to_owned(),
            change_cell(found, 2),
            p_cell(found),
            change_cell(change, 2),
            p_cell(change),
        ]);
    }
    Ok(table)
}

fn speaker(utterance: &TestUtterance) -> &str {
    utterance.utterance.split('-').next().unwrap_or_default()
}

/// The effect of one decision on loss and phone error rate (paired t-tests) and on word error rate (bootstrap), with Holm's correction.
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
    let paired = |metric: Metric| {
        let changes = pairs.iter().map(|&(old, new)| {
            let by_seed = |row| findings.by_seed(row, metric);
            Change::between(&by_seed(old), &by_seed(new), Scale::Difference)
        });
        corrected(changes.collect())
    };
    let (losses, phones) = (paired(Metric::ValidationLoss), paired(PER));
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
        "PER difference (95 % CI)",
        "PER p",
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
            change_cell(phones[at], 1),
            p_cell(phones[at]),
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
