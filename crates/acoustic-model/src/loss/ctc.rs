//! Connectionist temporal classification: the loss of a label sequence whose alignment to the frames is not known.
//!
//! Graves, Fernández, Gomez and Schmidhuber, "Connectionist Temporal Classification: Labelling Unsegmented Sequence
//! Data with Recurrent Neural Networks", ICML 2006. The likelihood of a target is the sum over all its alignments;
//! forward-backward computes it, and with it the gradient with respect to the logits: at each frame the softmax minus
//! the expected occupancy of each class.
//!
//! Here it runs on the host, over slices, one utterance per task; GPUs have kernels of their own (`cube.rs`). The recurrence
//! is a chain of tiny steps, so tracing it through a tensor library costs far more than the arithmetic; and computing in f64
//! from f32 logits leaves no doubt about long utterances. Frames past an utterance's end are never read, whatever they hold,
//! and their gradient is exactly 0.

mod alignment;
mod error;

#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(crate) mod cube;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(crate) mod layout;

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
        let impossible = |index: &usize| utterances[*index].is_impossible();
        let left_out = (0..utterances.len()).filter(impossible).collect();
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
        let rows = batch.logits.len() / classes;
        if !batch.logits.len().is_multiple_of(classes) || !rows.is_multiple_of(count) {
            return Err(CtcError::Logits {
                found: batch.logits.len(),
                utterances: count,
                classes,
            });
        }
        let targets = self.targets(&Sequences {
            frames: rows / count,
            classes,
            lengths: batch.input_lengths,
            labels: batch.targets,
            label_lengths: batch.target_lengths,
        })?;
        let utterance = |(index, target)| Utterance::new(batch, index, target, self.blank as usize);
        Ok(targets.into_iter().enumerate().map(utterance).collect())
    }

    /// Checks what is to be aligned, and gives the target of each utterance.
    fn targets<'a>(&self, batch: &Sequences<'a>) -> Result<Vec<&'a [u32]>, CtcError> {
        let (frames, classes) = (batch.frames, batch.classes);
        let blank = self.blank as usize;
        if blank >= classes {
            return Err(CtcError::Blank { blank, classes });
        }
        if batch.label_lengths.len() != batch.lengths.len() {
            return Err(CtcError::TargetLengths {
                found: batch.label_lengths.len(),
                utterances: batch.lengths.len(),
            });
        }

        let mut rest = batch.labels;
        let mut targets = Vec::with_capacity(batch.lengths.len());
        let lengths = batch.lengths.iter().zip(batch.label_lengths);
        for (utterance, (&length, &labels)) in lengths.enumerate() {
            if length == 0 || length > frames {
                return Err(CtcError::InputLength {
                    utterance,
                    length,
                    frames,
                });
            }
            let Some((target, others)) = rest.split_at_checked(labels) else {
                return Err(CtcError::Targets {
                    found: batch.labels.len(),
                });
            };
            rest = others;
            if let Some(&label) = target
                .iter()
                .find(|&&label| label as usize >= classes || label == self.blank)
            {
                return Err(CtcError::Label {
                    utterance,
                    label,
                    classes,
                    blank,
                });
            }
            targets.push(target);
        }
        if !rest.is_empty() {
            return Err(CtcError::Targets {
                found: batch.labels.len(),
            });
        }
        let impossible = |index: &usize| frames_needed(targets[*index]) > batch.lengths[*index];
        let impossible: Vec<usize> = (0..targets.len()).filter(impossible).collect();
        if let (Impossible::Refuse, Some(&first)) = (self.impossible, impossible.first()) {
            return Err(CtcError::Impossible {
                frames: batch.lengths[first],
                needed: frames_needed(targets[first]),
                utterances: impossible,
            });
        }
        Ok(targets)
    }
}

/// What is to be aligned, whatever the scores are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sequences<'a> {
    pub(crate) frames: usize,
    pub(crate) classes: usize,
    pub(crate) lengths: &'a [usize],
    pub(crate) labels: &'a [u32],
    pub(crate) label_lengths: &'a [usize],
}

/// A frame for each label, and one for the blank that must part a label from its repetition.
fn frames_needed(target: &[u32]) -> usize {
    let repetitions = target.windows(2).filter(|pair| pair[0] == pair[1]);
    target.len() + repetitions.count()
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
