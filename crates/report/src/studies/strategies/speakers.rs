//! Differences in word error rate if whole speakers are resampled, not utterances.
//!
//! The utterances of one speaker have similar error rates, so resampling them one by one treats the test set as larger than it is.

use std::path::Path;

use super::{MAIN, RECOMMENDED, change_cell, p_cell, row};
use crate::findings::Findings;
use crate::record::{ReadError, Run, TestUtterance, resampled};
use crate::statistics::{Pair, Scale, SeedErrors, bootstrap};
use crate::studies::records::Record;
use crate::tables::TextTable;

/// Differences from random batches.
pub(in crate::studies) fn speakers(results: &Path) -> Result<TextTable, ReadError> {
    let Record(findings) = Record::open(results, MAIN)?;
    let baseline = findings.baseline.unwrap_or(0);
    Ok(against(&findings, baseline))
}

/// Differences from semi-sorted batches.
pub(in crate::studies) fn speakers_against_semi_sorted(
    results: &Path,
) -> Result<TextTable, ReadError> {
    let record = Record::open(results, MAIN)?;
    let recommended = row(&record, RECOMMENDED)?;
    Ok(against(&record.0, recommended))
}

fn against(findings: &Findings, baseline: usize) -> TextTable {
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
    let rows = 0..findings.rows.len();
    let runs = findings.runs_of_rows();
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
    let pairs: Vec<(usize, usize)> = rows.clone().map(|row| (baseline, row)).collect();
    let pair = |&(old, new): &(usize, usize)| Pair {
        old,
        new,
        scale: Scale::Difference,
    };
    let speakers = bootstrap(
        &words,
        &strategies,
        &pairs.iter().map(pair).collect::<Vec<_>>(),
    );
    let single = resampled(&runs, utterances, &pairs);
    let mut table = TextTable::new([
        "strategy",
        "utterances resampled: WER difference (95 % CI)",
        "p",
        "speakers resampled: WER difference (95 % CI)",
        "p with speakers",
    ]);
    for row in rows.filter(|row| *row != baseline) {
        table.add_row([
            findings.name(row).to_owned(),
            change_cell(single.changes[row], 2),
            p_cell(single.changes[row]),
            change_cell(speakers.changes[row], 2),
            p_cell(speakers.changes[row]),
        ]);
    }
    table
}

/// The speaker of an utterance: the first part of its id.
fn speaker(utterance: &TestUtterance) -> &str {
    utterance.utterance.split('-').next().unwrap_or_default()
}
