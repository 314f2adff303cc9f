//! Whether one seed gives one run.

use std::collections::BTreeMap;
use std::path::Path;

use super::records::{Record, ends};
use crate::record::ReadError;
use crate::tables::TextTable;

/// Orders that several records have, by the names that they have there: runs of one seed should be one run. The first three are of
/// the time when the norm for clipping had no fixed order.
const REPEATED: [(&str, &[(&str, &str)]); 5] = [
    (
        "random",
        &[
            ("ge-table2-librispeech", "RAND"),
            ("doetsch-table1-librispeech", "max"),
            ("twelve-epochs-librispeech", "RAND"),
        ],
    ),
    (
        "sorted",
        &[
            ("ge-table2-librispeech", "SB"),
            ("twelve-epochs-librispeech", "SB"),
            ("last-utterances", "1 bin: long last"),
        ],
    ),
    (
        "semi-sorted",
        &[
            ("ge-table2-librispeech", "SSB"),
            ("twelve-epochs-librispeech", "SSB"),
        ],
    ),
    (
        "random, sums in order",
        &[
            ("doetsch-table2-librispeech", "random"),
            ("doetsch-table2-librispeech-again", "random"),
        ],
    ),
    (
        "sorted, sums in order",
        &[
            ("doetsch-table2-librispeech", "sorted"),
            ("doetsch-table2-librispeech-again", "sorted"),
        ],
    ),
];
/// Beyond what sums of losses in another order make.
const SAME_LOSS: f64 = 1e-6;

/// Runs of one order and seed in several records: how many came out alike, and from which epoch on others part.
pub(super) fn repeated_runs(results: &Path) -> Result<TextTable, ReadError> {
    let mut table = TextTable::new([
        "order",
        "seed",
        "trained in",
        "came out alike",
        "first apart after epoch",
        "furthest apart",
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
            let alike = |one: &Vec<f64>, other: &Vec<f64>| {
                one.iter()
                    .zip(other)
                    .all(|(a, b)| (a - b).abs() < SAME_LOSS)
            };
            let alike = runs
                .iter()
                .map(|one| runs.iter().filter(|other| alike(one, other)).count());
            let spreads = (0..epochs).map(|epoch| {
                let losses: Vec<f64> = runs.iter().map(|run| run[epoch]).collect();
                let (low, high) = ends(&losses);
                high - low
            });
            let spreads: Vec<f64> = spreads.collect();
            let apart = spreads.iter().position(|spread| *spread >= SAME_LOSS);
            let (_, furthest) = ends(&spreads);
            table.add_row([
                order.to_owned(),
                seed.to_string(),
                runs.len().to_string(),
                alike
                    .max()
                    .filter(|most| *most > 1)
                    .unwrap_or(0)
                    .to_string(),
                apart.map_or(String::new(), |epoch| (epoch + 1).to_string()),
                apart.map_or(String::new(), |_| format!("{furthest:.3}")),
            ]);
        }
    }
    Ok(table)
}
