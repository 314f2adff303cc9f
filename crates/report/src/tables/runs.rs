//! The status of every run: its seed, its progress, and the error message if it failed.

use super::text_table::TextTable;
use super::titled::TitledTable;
use crate::findings::Findings;
use crate::markdown::visible;
use crate::record::RunStatus;
use crate::text::{marked, or_nothing};

/// The status of every run.
pub fn runs(findings: &Findings) -> TitledTable {
    let config = &findings.recorded.config;
    let mut cells = TextTable::new(["strategy", "seed", "epochs", "training s", "loss", "status"]);
    for row in 0..findings.rows.len() {
        let runs = findings.runs(row);
        for &seed in &config.train.seeds {
            let run = runs.iter().find(|run| run.seed == seed);
            let epochs = run.map_or(0, |run| run.epochs.len());
            let loss = run.and_then(|run| run.result(|row| row.validation_loss));
            cells.add_row([
                marked(findings.name(row), findings.time_is_predicted(row)),
                seed.to_string(),
                format!("{epochs} of {}", config.train.epochs),
                or_nothing(run.map(|run| format!("{:.1}", run.train_seconds()))),
                or_nothing(loss.map(|loss| format!("{loss:.3}"))),
                run.map_or("not started".into(), |run| status(&run.status)),
            ]);
        }
    }
    TitledTable {
        title: "All runs",
        note: String::new(),
        cells,
    }
}

fn status(status: &RunStatus) -> String {
    match status {
        RunStatus::Complete => "complete".into(),
        RunStatus::Unfinished { .. } => "unfinished".into(),
        RunStatus::Diverged { epoch } => format!("diverged in epoch {epoch}"),
        RunStatus::Failed { epoch, note } if note.is_empty() => format!("failed in epoch {epoch}"),
        RunStatus::Failed { epoch, note } => {
            format!("failed in epoch {epoch}: {}", visible(note.trim()))
        }
    }
}
