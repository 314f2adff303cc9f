//! Before the study at convergence: its pilot, and the learning rate of each strategy.

use std::path::Path;

use super::records::{ERRORS, LOSS, Record, epoch_titles, means};
use crate::record::{ReadError, Run};
use crate::tables::TextTable;

/// The learning rates that every strategy was trained with, lowest first.
const RATES: [&str; 3] = ["0.0005", "0.001", "0.002"];

/// Loss by epoch of the pilot, whose runs ended at different epochs, and the epoch with the lowest loss.
pub(super) fn pilot(results: &Path) -> Result<TextTable, ReadError> {
    let record = Record::open(results, "study-pilot")?;
    let epochs = record.0.recorded.config.train.epochs as usize;
    let mut table = TextTable::new(["strategy"]);
    table.header.extend(epoch_titles(epochs));
    table.header.push("epoch with the lowest".to_owned());
    for strategy in record.strategies() {
        // The pilot was ended before the others.
        let Ok(runs) = record.runs(strategy) else {
            continue;
        };
        let losses = means(&runs, LOSS);
        let mut cells = vec![strategy.to_owned()];
        cells.extend(losses.iter().map(|loss| format!("{loss:.3}")));
        cells.resize(1 + epochs, String::new());
        cells.push(lowest(&losses).map_or(String::new(), |epoch| (epoch + 1).to_string()));
        table.add_row(cells);
    }
    Ok(table)
}

/// The lowest loss of each strategy at every learning rate, the phone errors of that epoch, and the rate with the lowest loss.
pub(super) fn learning_rates(results: &Path) -> Result<TextTable, ReadError> {
    let records = RATES.map(|rate| Record::open(results, &format!("study-rate-{rate}")));
    let [low, middle, high] = records;
    let records = [low?, middle?, high?];
    let mut table = TextTable::new(["strategy"]);
    for value in ["loss", "PER %"] {
        let titles = RATES.map(|rate| format!("{value} at {rate}"));
        table.header.extend(titles);
    }
    table.header.push("chosen rate".to_owned());
    for strategy in records[0].strategies() {
        let mut losses = Vec::new();
        let mut errors = Vec::new();
        for record in &records {
            let (loss, error) = best(&record.runs(strategy)?);
            losses.push(loss);
            errors.push(error);
        }
        let mut cells = vec![strategy.to_owned()];
        cells.extend(losses.iter().map(|loss| format!("{loss:.3}")));
        cells.extend(errors.iter().map(|error| format!("{error:.1}")));
        cells.push(lowest(&losses).map_or(String::new(), |rate| RATES[rate].to_owned()));
        table.add_row(cells);
    }
    Ok(table)
}

/// Loss and phone errors of the epoch with the lowest loss.
fn best(runs: &[Run]) -> (f64, f64) {
    let (losses, errors) = (means(runs, LOSS), means(runs, ERRORS));
    let epoch = lowest(&losses).unwrap_or(0);
    (losses[epoch], errors[epoch])
}

fn lowest(losses: &[f64]) -> Option<usize> {
    (0..losses.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b]))
}
