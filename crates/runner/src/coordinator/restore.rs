//! Restores the state of a run when an experiment resumes.
//!
//! Rows and checkpoints may disagree: a file was lost or damaged. The run then continues from its last valid state, and says so.

use anyhow::Result;
use padwise_report::record::{EpochRow, RunProgress, WorkersRow, rows_of};
use tracing::warn;

use super::Coordinator;
use crate::checkpoints::Position;

impl Coordinator<'_> {
    /// Finds the last valid state of a run. Restores a lost row, or removes rows that no valid checkpoint follows.
    pub(super) fn restore(&mut self, row: usize, seed: u64) -> Result<Position> {
        let config = &self.experiment.config;
        let name = config.strategy[row].name.clone();
        let workers = config.strategy[row]
            .workers
            .map_or(1, |workers| workers as usize);
        let parallel = config.train.parallel.as_ref();
        let has_patience = config.train.patience.is_some();
        let keeps = parallel.is_some_and(|parallel| parallel.keeps_own_states(workers));
        let recorded = self.run_progress(row, seed).epochs_done;
        let run = self.run_id(row, seed);
        let states = if keeps { workers } else { 1 };
        let state = run.last_valid_state(self.folder.path(), recorded, states);
        for rejected in &state.rejected {
            self.say(&format!("not used: {rejected}"));
        }
        if let Some(lost) = state.lost_row.filter(|lost| is_of(lost, &name, seed)) {
            self.say(&format!(
                "`{name}`, seed {seed}: restored the row of epoch {} from its checkpoint",
                lost.epoch
            ));
            // The same line may be there already. The last one counts.
            let is_of_epoch = |times: &&WorkersRow| times.epoch == lost.epoch;
            if let Some(times) = state.lost_times.as_deref().filter(is_of_epoch) {
                self.folder.append_worker_times(times)?;
            }
            self.folder.append(&lost)?;
            self.epochs.push(*lost);
        }
        let mut start = state.position;
        let recorded = self.run_progress(row, seed).epochs_done;
        if start.epoch > 0 && has_patience {
            let own = rows_of(&self.epochs, &name, seed).filter(|row| row.epoch <= start.epoch);
            let best = RunProgress::of(own, recorded).best;
            let checked = best.map_or(Ok(()), |best| {
                run.check_best(self.folder.path(), best.epoch)
            });
            if let Err(problem) = checked {
                self.say(&format!("not used: {problem}"));
                start = Position::default();
            }
        }
        if start.epoch < recorded {
            self.say(&format!(
                "`{name}`, seed {seed}: no valid checkpoint after epoch {recorded}; restarting after epoch {}",
                start.epoch
            ));
            self.epochs
                .retain(|epoch| !is_of(epoch, &name, seed) || epoch.epoch <= start.epoch);
            self.folder.rewrite(&self.epochs)?;
        }
        Ok(start)
    }

    /// Prints a message and adds it to the log.
    pub(super) fn say(&self, line: &str) {
        warn!("{line}");
        self.progress.say(line);
    }
}

fn is_of(row: &EpochRow, strategy: &str, seed: u64) -> bool {
    row.strategy == strategy && row.seed == seed
}
