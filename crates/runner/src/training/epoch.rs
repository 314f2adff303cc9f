//! One epoch of training, on the clock.

use std::time::Instant;

use padwise_model::{StepLoss, Trainer};
use padwise_sampler::Plan;

use super::divergence::Watch;
use super::tally::Tally;
use super::{host, nvidia};
use crate::corpora::Split;
use crate::loader::{Teach, with_batches};
use crate::record::{EpochRow, Status};

/// Steps between two looks at the losses: a look waits for the device, so there are not too many; and always after the same steps,
/// so that a run that is repeated diverges where it diverged.
const STEPS_BETWEEN_LOOKS: usize = 32;

/// What an epoch is trained with.
pub struct Epoch<'a> {
    /// The utterances.
    pub split: &'a Split,
    /// The batches.
    pub plan: &'a Plan,
    /// What is taught.
    pub teach: Teach,
    /// Threads that load.
    pub threads: usize,
}

/// How far an epoch is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Batches done.
    pub done: u64,
    /// Batches of the epoch.
    pub batches: u64,
    /// Utterances a second so far.
    pub rate: f64,
    /// The loss of the last few steps.
    pub loss: Option<f64>,
}

impl Epoch<'_> {
    /// Trains on every batch, or until `goes_on` says no: then there is no row. The row has everything but validation.
    pub fn train(
        &self,
        trainer: &mut dyn Trainer,
        watch: &mut Watch,
        mut goes_on: impl FnMut(Progress) -> bool,
    ) -> Result<Option<EpochRow>, anyhow::Error> {
        let corpus = self.split.training.as_ref();
        let mut row = EpochRow {
            dropped: self.plan.ledger().dropped().len() as u64,
            ..EpochRow::default()
        };
        let mut tally = Tally::new(corpus.len());
        trainer.begin_epoch(self.plan.epoch());
        trainer.synchronise()?;
        host::forget_peak();
        let start = Instant::now();
        let finished = with_batches(corpus, self.plan, self.teach, self.threads, |loader| {
            let mut last_loss = None;
            for planned in self.plan.batches() {
                let Some(batch) = loader.next() else {
                    break;
                };
                trainer.step(batch?)?;
                tally.add(&planned);
                let done = planned.index() + 1;
                if done.is_multiple_of(STEPS_BETWEEN_LOOKS) || done == self.plan.len() {
                    let losses = trainer.take_losses()?;
                    last_loss = mean(&losses);
                    tally.add_losses(&losses);
                    if let Some(words) = watch.look(&losses) {
                        row.status = Status::Diverged;
                        row.note = words;
                        break;
                    }
                }
                let share = done as f64 / self.plan.len() as f64;
                let progress = Progress {
                    done: done as u64,
                    batches: self.plan.len() as u64,
                    rate: share * corpus.len() as f64 / start.elapsed().as_secs_f64().max(1e-9),
                    loss: last_loss,
                };
                if !goes_on(progress) {
                    return Ok(false);
                }
            }
            trainer.synchronise()?;
            row.train_seconds = start.elapsed().as_secs_f64();
            row.wait_seconds = loader.waited().as_secs_f64();
            Ok::<bool, anyhow::Error>(true)
        })?;
        if !finished {
            return Ok(None);
        }
        row.host_peak_bytes = host::peak_bytes();
        if let Some(memory) = trainer.memory() {
            row.device_reserved_bytes = Some(memory.reserved);
            row.device_process_bytes = nvidia::process_bytes();
        }
        row.start_loss = watch.start().filter(|loss| loss.is_finite());
        tally.fill(&mut row);
        if self.teach == Teach::Sequences {
            row.train_frame_error_percent = None;
        }
        Ok(Some(row))
    }
}

fn mean(losses: &[StepLoss]) -> Option<f64> {
    let counted: u64 = losses.iter().map(|loss| loss.counted).sum();
    let sum: f64 = losses.iter().map(|loss| loss.sum).sum();
    (counted > 0).then(|| sum / counted as f64)
}
