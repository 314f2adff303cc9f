//! Validation: one fixed set in one fixed random batching for all strategies, masked, averaged over frames.
//!
//! Ge et al. (2021) validate so, because a loss that depended on how validation batches were padded would favour whichever strategy
//! pads them most. Ours depends on padding in no way, and the batches are fixed all the same.

use padwise_model::{ModelError, Trainer};
use padwise_sampler::{Plan, Sampler, Strategy};

use super::sequence_errors::{References, SequenceErrors};
use super::tally::Losses;
use crate::corpora::{CorporaError, Split};
use crate::loader::{Teach, with_batches};
use crate::record::EpochRow;

/// The seed of the fixed batches, in every experiment.
const SEED: u64 = 0;

/// The validation utterances in their fixed batches.
pub struct Validation<'a> {
    split: &'a Split,
    plan: Plan,
    teach: Teach,
    threads: usize,
    sequences: bool,
}

impl<'a> Validation<'a> {
    /// Batches of so many utterances.
    pub fn new(
        split: &'a Split,
        batch: u32,
        teach: Teach,
        threads: usize,
        sequences: bool,
    ) -> Result<Self, CorporaError> {
        let strategy = Strategy::parse("random", batch).map_err(CorporaError::other)?;
        let sampler = Sampler::new(strategy, SEED).map_err(CorporaError::other)?;
        let plan = sampler
            .plan(split.validation.lengths(), 0)
            .map_err(CorporaError::other)?;
        Ok(Validation {
            split,
            plan,
            teach,
            threads,
            sequences,
        })
    }

    /// What the model makes of the validation utterances, into a row; nothing, where `goes_on` says no before the last batch. Says
    /// whether it came to the end.
    pub fn run(
        &self,
        trainer: &mut dyn Trainer,
        row: &mut EpochRow,
        goes_on: impl Fn() -> bool,
    ) -> Result<bool, anyhow::Error> {
        let symbols = &self.split.symbols;
        let mut losses = Losses::default();
        let mut errors = SequenceErrors::default();
        let corpus = self.split.validation.as_ref();
        let finished = with_batches(corpus, &self.plan, 0, self.teach, self.threads, |loader| {
            for batch in loader {
                if !goes_on() {
                    return Ok(false);
                }
                let batch = batch?;
                let references = self.sequences.then(|| References::of(&batch, symbols));
                let found = match trainer.evaluate(batch) {
                    Ok(found) => found,
                    // Nothing to compare with is nothing to count.
                    Err(ModelError::NothingLabelled { .. }) => continue,
                    Err(error) => return Err(anyhow::Error::new(error)),
                };
                losses.add(&found.loss);
                if let Some(references) = references {
                    references.count(&found.best, symbols, &mut errors);
                }
            }
            Ok(true)
        })?;
        if !finished {
            return Ok(false);
        }
        row.validation_loss = losses.mean().filter(|loss| loss.is_finite());
        if self.teach == Teach::Frames {
            row.frame_error_percent = losses.wrong_percent();
        }
        row.sequence_error_percent = errors.percent();
        Ok(true)
    }
}
