//! How the runs of a strategy ended, together, so that what is missing is said and not averaged away.

use crate::record::{Run, RunStatus};

/// How many runs of a strategy ended how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowStatus {
    /// Runs that were meant to be.
    pub planned: usize,
    /// Runs that came to their end.
    pub complete: usize,
    /// Runs that diverged, with seed and epoch.
    pub diverged: Vec<(u64, u64)>,
    /// Runs that failed, with seed and epoch.
    pub failed: Vec<(u64, u64)>,
    /// Runs without an end, with seed and epochs done.
    pub unfinished: Vec<(u64, u64)>,
    /// Runs that were not begun.
    pub not_begun: usize,
}

impl RowStatus {
    pub(super) fn of(runs: &[Run], planned: usize) -> Self {
        let mut status = RowStatus {
            planned,
            not_begun: planned.saturating_sub(runs.len()),
            ..RowStatus::default()
        };
        for run in runs {
            match run.status {
                RunStatus::Complete => status.complete += 1,
                RunStatus::Diverged { epoch } => status.diverged.push((run.seed, epoch)),
                RunStatus::Failed { epoch, .. } => status.failed.push((run.seed, epoch)),
                RunStatus::Unfinished { done } => status.unfinished.push((run.seed, done)),
            }
        }
        status
    }

    /// Whether every run came to its end.
    pub fn is_complete(&self) -> bool {
        self.complete == self.planned
    }

    /// What is not as it was meant to be, in a few words; empty where everything is.
    pub fn trouble(&self) -> String {
        let mut parts = Vec::new();
        for (runs, what) in [
            (self.diverged.len(), "diverged"),
            (self.failed.len(), "failed"),
            (self.unfinished.len(), "unfinished"),
            (self.not_begun, "not begun"),
        ] {
            if runs > 0 && runs == self.planned && runs == 1 {
                parts.push(what.to_owned());
            } else if runs > 0 {
                parts.push(format!("{runs} of {} {what}", self.planned));
            }
        }
        parts.join(", ")
    }
}
