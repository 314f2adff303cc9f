//! Connectionist temporal classification (CTC): the loss of a label sequence whose alignment to the frames is
//! unknown.
//!
//! Graves, Fernández, Gomez and Schmidhuber, "Connectionist Temporal Classification: Labelling Unsegmented
//! Sequence Data with Recurrent Neural Networks", ICML 2006. The likelihood of a target is the sum over all
//! its alignments. The forward-backward algorithm computes it together with the gradient of the logits: at
//! each frame, the softmax minus the expected occupancy of each class.
//!
//! This implementation runs on the host over slices, with one task per utterance. GPUs have their own kernels
//! (`padwise_cube_kernels::ctc`). The recursion is a chain of tiny steps, and tracing it through a tensor
//! library would cost far more than the arithmetic. Computing in f64 keeps long utterances accurate. Padding
//! is never read, and its gradient is exactly 0.

mod alignment;
mod batch;
mod error;

use rayon::prelude::*;

use alignment::Utterance;
pub use batch::{Ctc, CtcBatch, Unalignable};
pub use error::CtcError;

/// The loss of a batch and its gradient.
#[derive(Debug, Clone, PartialEq)]
pub struct CtcLoss {
    /// The negative log-likelihood of each utterance's target; 0 for those left out.
    pub losses: Vec<f64>,
    /// `[frames, utterances, classes]`: the gradient of the sum of `losses` with respect to the logits.
    pub gradient: Vec<f32>,
    /// Indices of the utterances that have no alignment, in ascending order.
    pub left_out: Vec<usize>,
}

impl Ctc {
    /// Computes the loss of each utterance of time-major logits `[frames, utterances, classes]`, and the
    /// gradient of their sum.
    ///
    /// # Errors
    /// If the batch is inconsistent, if an utterance cannot be aligned and [`Unalignable::Refuse`] is set, or
    /// if a logit is not finite.
    pub fn losses_and_gradient(
        &self,
        logits: &[f32],
        batch: &CtcBatch,
    ) -> Result<CtcLoss, CtcError> {
        let (count, classes) = (batch.input_lengths.len(), batch.classes);
        if count == 0 || classes == 0 || logits.is_empty() {
            return Err(CtcError::EmptyBatch);
        }
        let rows = logits.len() / classes;
        if !logits.len().is_multiple_of(classes) || !rows.is_multiple_of(count) {
            return Err(CtcError::Logits {
                found: logits.len(),
                utterances: count,
                classes,
            });
        }
        let utterances: Vec<Utterance> = self
            .targets(rows / count, batch)?
            .into_iter()
            .enumerate()
            .map(|(index, target)| {
                Utterance::new(logits, batch, index, target, self.blank as usize)
            })
            .collect();
        let unalignable = |index: &usize| utterances[*index].is_unalignable();
        let left_out = (0..utterances.len()).filter(unalignable).collect();
        let mut gradient = vec![0.0; logits.len()];
        let rows = rows_by_utterance(&mut gradient, batch);
        let losses: Vec<Result<f64, CtcError>> = utterances
            .par_iter()
            .zip(rows)
            .map(|(utterance, rows)| utterance.loss_and_gradient(rows))
            .collect();
        // Collected first, so the error is always that of the first utterance, on any number of cores.
        let losses = losses.into_iter().collect::<Result<_, _>>()?;
        Ok(CtcLoss {
            losses,
            gradient,
            left_out,
        })
    }
}

/// The gradient rows of each utterance's frames. They are disjoint, so tasks can fill them in parallel, and
/// padding is not among them.
fn rows_by_utterance<'g>(gradient: &'g mut [f32], batch: &CtcBatch) -> Vec<Vec<&'g mut [f32]>> {
    let lengths = batch.input_lengths;
    let mut rows: Vec<Vec<&mut [f32]>> = lengths
        .iter()
        .map(|&length| Vec::with_capacity(length))
        .collect();
    for (position, row) in gradient.chunks_exact_mut(batch.classes).enumerate() {
        let (frame, utterance) = (position / lengths.len(), position % lengths.len());
        if frame < lengths[utterance] {
            rows[utterance].push(row);
        }
    }
    rows
}
