//! How the runs of a strategy ended. Missing runs are reported, not averaged away.

use crate::record::{Run, RunStatus};

/// How the runs of a strategy ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowStatus {
    /// Planned runs.
    pub planned: usize,
    /// Completed runs.
    pub complete: usize,
    /// Diverged runs: seed and epoch.
    pub diverged: Vec<(u64, u64)>,
    /// Failed runs: seed and epoch.
    pub failed: Vec<(u64, u64)>,
    /// Unfinished runs: seed and number of completed epochs.
    pub unfinished: Vec<(u64, u64)>,
    /// Runs that have not started.
    pub not_started: usize,
}

impl RowStatus {
    pub(super) fn of(runs: &[Run], planned: usize) -> Self {
        let mut status = RowStatus {
            planned,
            not_started: planned.saturating_sub(runs.len()),
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

    /// Whether every run completed.
    pub fn is_complete(&self) -> bool {
        self.complete == self.planned
    }

    /// Describes runs that did not complete: `1 of 3 runs diverged`. Empty if all completed.
    pub fn trouble(&self) -> String {
        let mut parts = Vec::new();
        for (runs, what) in [
            (self.diverged.len(), "diverged"),
            (self.failed.len(), "failed"),
            (self.unfinished.len(), "unfinished"),
            (self.not_started, "not started"),
        ] {
            if runs > 0 && runs == self.planned && runs == 1 {
                parts.push(what.to_owned());
            } else if runs > 0 {
                parts.push(format!("{runs} of {} runs {what}", self.planned));
            }
        }
        parts.join(", ")
    }
}
