//! Study of reproducibility: whether runs with the same seed give the same losses.

use std::collections::BTreeMap;
use std::path::Path;

use super::records::{Record, min_max};
use crate::record::ReadError;
use crate::tables::TextTable;

/// Strategies that were run in several results folders, with their names there. Three builds made these records.
const REPEATED: [(&str, &[(&str, &str)]); 3] = [
    (
        "random",
        &[
            ("ge-table2-librispeech", "RAND"),
            ("doetsch-table1-librispeech", "max"),
            ("twelve-epochs-librispeech", "RAND"),
            ("doetsch-table2-librispeech", "random"),
            ("doetsch-table2-librispeech-again", "random"),
        ],
    ),
    (
        "sorted",
        &[
            ("ge-table2-librispeech", "SB"),
            ("twelve-epochs-librispeech", "SB"),
            ("last-utterances", "1 bin: long last"),
            ("doetsch-table2-librispeech", "sorted"),
            ("doetsch-table2-librispeech-again", "sorted"),
        ],
    ),
    (
        "semi-sorted",
        &[
            ("ge-table2-librispeech", "SSB"),
            ("twelve-epochs-librispeech", "SSB"),
        ],
    ),
];
/// Larger than the effect of summing losses in another order.
const SAME_LOSS: f64 = 1e-6;

/// Runs with the same strategy and seed in several results folders: how many are identical, and from which epoch the others differ.
pub(super) fn repeated_runs(results: &Path) -> Result<TextTable, ReadError> {
    let mut table = TextTable::new([
        "order",
        "seed",
        "runs",
        "identical runs",
        "first different epoch",
        "largest difference",
    ]);
    for (order, records) in REPEATED {
        let mut by_seed: BTreeMap<u64, Vec<Vec<f64>>> = BTreeMap::new();
        for (name, strategy) in records {
            let record = Record::open(results, name)?;
            for run in record.runs(strategy)? {
                let losses = run.losses().into_iter().map(|(_, loss)| loss);
                by_seed.entry(run.seed).or_default().push(losses.collect());
            }
        }
        for (seed, runs) in by_seed.into_iter().filter(|(_, runs)| runs.len() > 1) {
            let epochs = runs.iter().map(Vec::len).min().unwrap_or(0);
            let identical = |one: &Vec<f64>, other: &Vec<f64>| {
                one.iter()
                    .zip(other)
                    .all(|(a, b)| (a - b).abs() < SAME_LOSS)
            };
            let identical = runs
                .iter()
                .map(|one| runs.iter().filter(|other| identical(one, other)).count());
            let spreads = (0..epochs).map(|epoch| {
                let losses: Vec<f64> = runs.iter().map(|run| run[epoch]).collect();
                let (low, high) = min_max(&losses);
                high - low
            });
            let spreads: Vec<f64> = spreads.collect();
            let differs = spreads.iter().position(|spread| *spread >= SAME_LOSS);
            let (_, largest) = min_max(&spreads);
            table.add_row([
                order.to_owned(),
                seed.to_string(),
                runs.len().to_string(),
                identical
                    .max()
                    .filter(|most| *most > 1)
                    .unwrap_or(0)
                    .to_string(),
                differs.map_or(String::new(), |epoch| (epoch + 1).to_string()),
                differs.map_or(String::new(), |_| format!("{largest:.3}")),
            ]);
        }
    }
    Ok(table)
}
