//! How every single run stands: which seeds there are, how far each came, and what was said when it went wrong.

use super::{Grid, NOTHING, or_nothing};
use crate::findings::Findings;
use crate::record::Standing;

pub(super) fn runs(findings: &Findings) -> Grid {
    let outline = &findings.recorded.outline;
    let mut rows = Vec::new();
    for row in 0..findings.rows.len() {
        let runs = findings.runs(row);
        for &seed in &outline.seeds {
            let run = runs.iter().find(|run| run.seed == seed);
            let state = match run.map(|run| &run.standing) {
                None => "not begun".into(),
                Some(Standing::Complete) => "complete".into(),
                Some(Standing::Unfinished { .. }) => "unfinished".into(),
                Some(Standing::Diverged { epoch }) => format!("diverged in epoch {epoch}"),
                Some(Standing::Failed { epoch, note }) if note.is_empty() => {
                    format!("failed in epoch {epoch}")
                }
                Some(Standing::Failed { epoch, note }) => {
                    format!("failed in epoch {epoch}: {}", note.trim())
                }
            };
            let epochs = run.map_or(0, |run| run.epochs.len());
            let seconds = run.map(|run| {
                let seconds = run.epochs.iter().map(|row| row.train_seconds);
                // A sum of nothing would be −0.
                seconds.fold(0.0, |sum: f64, more| sum + more)
            });
            let loss = run.and_then(|run| run.losses().last().map(|&(_, loss)| loss));
            rows.push(vec![
                findings.name(row).to_owned(),
                seed.to_string(),
                format!("{epochs} of {}", outline.epochs),
                seconds.map_or(NOTHING.into(), |seconds| format!("{seconds:.1}")),
                or_nothing(loss.map(|loss| format!("{loss:.3}"))),
                state,
            ]);
        }
    }
    let header = [
        "strategy",
        "seed",
        "epochs",
        "training s",
        "last loss",
        "state",
    ];
    Grid {
        title: "Every run".into(),
        note: String::new(),
        header: header.map(str::to_owned).to_vec(),
        rows,
    }
}
