//! Time and energy of each strategy until its best model, relative to random batches.

use std::path::Path;

use super::{MAIN, p_cell, ratio_cell};
use crate::record::{EpochRow, Metric, ReadError, Run};
use crate::statistics::{Scale, against_baseline};
use crate::studies::records::{ERRORS, Record};
use crate::tables::TextTable;

/// Ratios of time and energy until the best model, and of the time to a phone error rate that every run reaches.
pub(in crate::studies) fn costs(results: &Path) -> Result<TextTable, ReadError> {
    let Record(findings) = Record::open(results, MAIN)?;
    let runs = findings.runs_of_rows();
    let reached = reached_by_all(&runs);
    let by_seed = |of: &dyn Fn(&Run) -> Option<f64>| -> Vec<Vec<(u64, f64)>> {
        let values = |runs: &Vec<Run>| {
            let values = runs.iter().filter_map(|run| Some((run.seed, of(run)?)));
            values.collect()
        };
        runs.iter().map(values).collect()
    };
    let seconds = findings.rows_by_seed(Metric::BestEpochSeconds);
    let energy = by_seed(&|run| run.until_best_epoch(|row: &EpochRow| row.energy_joules));
    let to_errors = by_seed(&|run| seconds_to_errors(run, reached?));
    let baseline = findings.baseline.unwrap_or(0);
    let relative = |values: &[Vec<(u64, f64)>]| against_baseline(values, baseline, Scale::Ratio);
    let compared = [&seconds, &energy, &to_errors].map(|values| relative(values));
    let mut table = TextTable::new([
        "strategy".to_owned(),
        "time to the best model (95 % CI)".into(),
        "time p".into(),
        "energy to the best model (95 % CI)".into(),
        "energy p".into(),
        format!(
            "time to a PER of {:.1} % (95 % CI)",
            reached.unwrap_or(f64::NAN)
        ),
        "PER time p".into(),
    ]);
    for row in findings.others() {
        let [time, joules, errors] = [0, 1, 2].map(|at: usize| compared[at][row]);
        table.add_row([
            findings.name(row).to_owned(),
            ratio_cell(time),
            p_cell(time),
            ratio_cell(joules),
            p_cell(joules),
            ratio_cell(errors),
            p_cell(errors),
        ]);
    }
    Ok(table)
}

/// The lowest phone error rate that every completed run reaches.
fn reached_by_all(runs: &[Vec<Run>]) -> Option<f64> {
    let complete = runs.iter().flatten().filter(|run| run.status.is_complete());
    let lowest = complete.filter_map(|run| {
        let errors = run.epochs.iter().filter_map(|row| ERRORS(row));
        errors.min_by(f64::total_cmp)
    });
    lowest.max_by(f64::total_cmp)
}

/// Training time until the phone error rate is at most this.
fn seconds_to_errors(run: &Run, reached: f64) -> Option<f64> {
    let mut errors = run.epochs.iter().map(|row| ERRORS(row));
    let at = errors.position(|errors| errors.is_some_and(|errors| errors <= reached))?;
    Some(run.epochs[..=at].iter().map(|row| row.train_seconds).sum())
}
