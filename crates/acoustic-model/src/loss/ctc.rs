//! Connectionist temporal classification: the loss of a label sequence whose alignment to the frames is not known.
//!
//! Graves, Fernández, Gomez and Schmidhuber, "Connectionist Temporal Classification: Labelling Unsegmented Sequence
//! Data with Recurrent Neural Networks", ICML 2006. The likelihood of a target is the sum over all its alignments;
//! forward-backward computes it, and with it the gradient with respect to the logits: at each frame the softmax minus
//! the expected occupancy of each class.
//!
//! It runs on the host, over slices, one utterance per task. The recurrence is a chain of tiny steps, so tracing it
//! through a tensor library costs far more than the arithmetic; and computing in f64 from f32 logits leaves no
//! doubt about long utterances. Frames past an utterance's end are never read, whatever they hold, and their gradient
//! is exactly 0.

mod alignment;
mod error;

use alignment::Utterance;
pub use error::CtcError;
use rayon::prelude::*;

/// What to do with an utterance that has fewer frames than its target needs, so that its loss is infinite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Impossible {
    /// Return [`CtcError::Impossible`].
    Refuse,
    /// Give it a loss and a gradient of 0 and list it in [`CtcLoss::left_out`]: PyTorch's `zero_infinity`.
    LeaveOut,
}

/// The settings of the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ctc {
    /// The class that stands for "no label here".
    pub blank: u32,
    /// What to do with utterances that cannot be aligned.
    pub impossible: Impossible,
}

/// A time-major batch of logits and the targets of its utterances.
#[derive(Debug, Clone, Copy)]
pub struct CtcBatch<'a> {
    /// `[frames, utterances, classes]`: scores before any softmax.
    pub logits: &'a [f32],
    /// How many classes there are, blank included.
    pub classes: usize,
    /// How many frames of each utterance are speech; what follows is padding.
    pub input_lengths: &'a [usize],
    /// The targets of all utterances one after the other, without blanks.
    pub targets: &'a [u32],
    /// How many labels each utterance has in `targets`; it may be 0.
    pub target_lengths: &'a [usize],
}

/// The loss of a batch and its gradient.
#[derive(Debug, Clone, PartialEq)]
pub struct CtcLoss {
    /// The negative log-likelihood of each utterance's target; 0 for those left out.
    pub losses: Vec<f64>,
    /// `[frames, utterances, classes]`: the gradient of the sum of `losses` with respect to the logits.
    pub gradient: Vec<f32>,
    /// The utterances without any alignment, in ascending order.
    pub left_out: Vec<usize>,
}

impl Ctc {
    /// The loss of each utterance, and the gradient of their sum.
    ///
    /// # Errors
    /// If the parts of the batch contradict each other, if an utterance is impossible and those are refused, or if
    /// a logit is not finite.
    pub fn losses_and_gradient(&self, batch: &CtcBatch) -> Result<CtcLoss, CtcError> {
        let utterances = self.utterances(batch)?;
        let left_out = self.left_out(&utterances)?;
        let mut gradient = vec![0.0; batch.logits.len()];
        let rows = rows_by_utterance(&mut gradient, batch);
        let losses: Vec<Result<f64, CtcError>> = utterances
            .par_iter()
            .zip(rows)
            .map(|(utterance, rows)| utterance.loss_and_gradient(rows))
            .collect();
        // Collected before it is searched, so that the error is that of the first utterance on any number of cores.
        let losses = losses.into_iter().collect::<Result<_, _>>()?;
        Ok(CtcLoss {
            losses,
            gradient,
            left_out,
        })
    }

    /// Checks the batch and takes it apart.
    fn utterances<'a>(&self, batch: &CtcBatch<'a>) -> Result<Vec<Utterance<'a>>, CtcError> {
        let count = batch.input_lengths.len();
        let classes = batch.classes;
        if count == 0 || classes == 0 || batch.logits.is_empty() {
            return Err(CtcError::EmptyBatch);
        }
        let blank = self.blank as usize;
        if blank >= classes {
            return Err(CtcError::Blank { blank, classes });
        }
        let rows = batch.logits.len() / classes;
        let frames = rows / count;
        if !batch.logits.len().is_multiple_of(classes) || !rows.is_multiple_of(count) {
            return Err(CtcError::Logits {
                found: batch.logits.len(),
                utterances: count,
                classes,
            });
        }
        if batch.target_lengths.len() != count {
            return Err(CtcError::TargetLengths {
                found: batch.target_lengths.len(),
                utterances: count,
            });
        }

        let mut rest = batch.targets;
        let mut utterances = Vec::with_capacity(count);
        for (index, (&length, &labels)) in batch
            .input_lengths
            .iter()
            .zip(batch.target_lengths)
            .enumerate()
        {
            if length == 0 || length > frames {
                return Err(CtcError::InputLength {
                    utterance: index,
                    length,
                    frames,
                });
            }
            let Some((target, others)) = rest.split_at_checked(labels) else {
                return Err(CtcError::Targets {
                    found: batch.targets.len(),
                });
            };
            rest = others;
            if let Some(&label) = target
                .iter()
                .find(|&&label| label as usize >= classes || label == self.blank)
            {
                return Err(CtcError::Label {
                    utterance: index,
                    label,
                    classes,
                    blank,
                });
            }
            utterances.push(Utterance::new(batch, index, length, target, blank));
        }
        if !rest.is_empty() {
            return Err(CtcError::Targets {
                found: batch.targets.len(),
            });
        }
        Ok(utterances)
    }

    fn left_out(&self, utterances: &[Utterance]) -> Result<Vec<usize>, CtcError> {
        let impossible = |index: &usize| utterances[*index].is_impossible();
        let left_out: Vec<usize> = (0..utterances.len()).filter(impossible).collect();
        match (self.impossible, left_out.first()) {
            (Impossible::Refuse, Some(&first)) => Err(CtcError::Impossible {
                frames: utterances[first].length(),
                needed: utterances[first].frames_needed(),
                utterances: left_out,
            }),
            _ => Ok(left_out),
        }
    }
}

/// The rows of the gradient that belong to each utterance's own frames: disjoint, so that tasks may fill them at once,
/// and without those of padding, which nobody can then touch.
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
