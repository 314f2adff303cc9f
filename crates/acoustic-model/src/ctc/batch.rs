//! A CTC batch and its validation.

use super::error::CtcError;

/// How to handle an utterance with fewer frames than its target needs, whose loss would be infinite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unalignable {
    /// Return [`CtcError::Unalignable`].
    Refuse,
    /// Set its loss and gradient to 0 and list it in [`crate::ctc::CtcLoss::left_out`], like PyTorch's
    /// `zero_infinity`.
    LeaveOut,
}

/// Settings of the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ctc {
    /// The blank class.
    pub blank: u32,
    /// How to handle utterances that cannot be aligned.
    pub unalignable: Unalignable,
}

/// The targets of a batch, without its logits.
#[derive(Debug, Clone, Copy)]
pub struct CtcBatch<'a> {
    /// Number of classes, including the blank.
    pub classes: usize,
    /// Number of frames of each utterance. Later frames are padding.
    pub input_lengths: &'a [usize],
    /// The targets of all utterances, concatenated, without blanks.
    pub targets: &'a [u32],
    /// Number of labels of each utterance in `targets`. May be 0.
    pub target_lengths: &'a [usize],
}

impl Ctc {
    /// Validates the batch and returns the target of each utterance.
    pub(crate) fn targets<'a>(
        &self,
        frames: usize,
        batch: &CtcBatch<'a>,
    ) -> Result<Vec<&'a [u32]>, CtcError> {
        let classes = batch.classes;
        let blank = self.blank as usize;
        if blank >= classes {
            return Err(CtcError::Blank { blank, classes });
        }
        if batch.target_lengths.len() != batch.input_lengths.len() {
            return Err(CtcError::TargetLengths {
                found: batch.target_lengths.len(),
                utterances: batch.input_lengths.len(),
            });
        }

        let mut rest = batch.targets;
        let mut targets = Vec::with_capacity(batch.input_lengths.len());
        let lengths = batch.input_lengths.iter().zip(batch.target_lengths);
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
                    found: batch.targets.len(),
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
                found: batch.targets.len(),
            });
        }
        let unalignable =
            |index: &usize| frames_needed(targets[*index]) > batch.input_lengths[*index];
        let unalignable: Vec<usize> = (0..targets.len()).filter(unalignable).collect();
        if let (Unalignable::Refuse, Some(&first)) = (self.unalignable, unalignable.first()) {
            return Err(CtcError::Unalignable {
                frames: batch.input_lengths[first],
                needed: frames_needed(targets[first]),
                utterances: unalignable,
            });
        }
        Ok(targets)
    }
}

/// One frame per label, plus one for the blank between a label and its repetition.
pub(super) fn frames_needed(target: &[u32]) -> usize {
    let repetitions = target.windows(2).filter(|pair| pair[0] == pair[1]);
    target.len() + repetitions.count()
}
