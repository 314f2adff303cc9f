//! Validation on the same batches for all strategies, with masked padding.

use anyhow::Result;
use padwise_model::{LossSum, ModelError, Trainer};
use padwise_report::record::EpochRow;
use padwise_sampler::Plan;

use super::sequence_errors::{Decoding, References, SequenceErrors};
use crate::corpora::{Split, Supervision};
use crate::experiment::Experiment;
use crate::loader::with_batches;

/// The validation set in its fixed batches.
pub struct ValidationPass<'a> {
    split: &'a Split,
    plan: Plan,
    threads: usize,
    sequences: bool,
}

impl<'a> ValidationPass<'a> {
    /// The validation pass of an experiment.
    pub fn new(experiment: &'a Experiment) -> Result<Self> {
        let config = &experiment.config;
        Ok(ValidationPass {
            split: &experiment.split,
            plan: experiment.validation_plan()?,
            threads: config.train.loader_threads(),
            sequences: config.measure.sequence_errors,
        })
    }

    /// Validates the model and writes the results into a row. Stops early and writes nothing if `should_continue` returns false. Returns whether it
    /// finished.
    pub fn run(
        &self,
        trainer: &mut dyn Trainer,
        row: &mut EpochRow,
        should_continue: impl Fn() -> bool,
    ) -> Result<bool> {
        let mut losses = LossSum::default();
        let mut errors = SequenceErrors::default();
        let corpus = self.split.validation.as_ref();
        let decoding = match (self.split.supervision, corpus.target_set()) {
            (Supervision::Targets, Some(set)) => Decoding::Targets(set),
            _ => Decoding::Labels(&self.split.symbols),
        };
        let finished = with_batches(
            corpus,
            &self.plan,
            0,
            self.split.supervision,
            self.threads,
            |loader| {
                for batch in loader {
                    if !should_continue() {
                        return Ok(false);
                    }
                    let batch = batch?;
                    let references = self.sequences.then(|| References::of(&batch, decoding));
                    let found = match trainer.evaluate(batch) {
                        Ok(found) => found,
                        // A batch without labels does not count.
                        Err(ModelError::NothingLabelled { .. }) => continue,
                        Err(error) => return Err(anyhow::Error::new(error)),
                    };
                    losses += found.loss;
                    if let Some(references) = references {
                        references.count(&found.best, decoding, &mut errors);
                    }
                }
                Ok(true)
            },
        )?;
        if !finished {
            return Ok(false);
        }
        row.validation_loss = losses.mean().filter(|loss| loss.is_finite());
        if self.split.supervision == Supervision::FrameLabels {
            row.frame_error_percent = losses.wrong_percent();
        }
        errors.fill(row);
        Ok(true)
    }
}
