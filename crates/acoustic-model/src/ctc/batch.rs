//! What CTC is to align, and whether it can be.

use super::error::CtcError;

/// What to do with an utterance that has fewer frames than its target needs, so that its loss is infinite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Impossible {
    /// Return [`CtcError::Impossible`].
    Refuse,
    /// Give it a loss and a gradient of 0 and list it in [`crate::ctc::CtcLoss::left_out`]: PyTorch's `zero_infinity`.
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

/// The targets of a batch of utterances, whatever their logits are.
#[derive(Debug, Clone, Copy)]
pub struct CtcBatch<'a> {
    /// How many classes there are, blank included.
    pub classes: usize,
    /// How many frames of each utterance are speech; what follows is padding.
    pub input_lengths: &'a [usize],
    /// The targets of all utterances one after the other, without blanks.
    pub targets: &'a [u32],
    /// How many labels each utterance has in `targets`; it may be 0.
    pub target_lengths: &'a [usize],
}

impl Ctc {
    /// Checks what is to be aligned, and gives the target of each utterance.
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
        let impossible =
            |index: &usize| frames_needed(targets[*index]) > batch.input_lengths[*index];
        let impossible: Vec<usize> = (0..targets.len()).filter(impossible).collect();
        if let (Impossible::Refuse, Some(&first)) = (self.impossible, impossible.first()) {
            return Err(CtcError::Impossible {
                frames: batch.input_lengths[first],
                needed: frames_needed(targets[first]),
                utterances: impossible,
            });
        }
        Ok(targets)
    }
}

/// A frame for each label, and one for the blank that must part a label from its repetition.
pub(super) fn frames_needed(target: &[u32]) -> usize {
    let repetitions = target.windows(2).filter(|pair| pair[0] == pair[1]);
    target.len() + repetitions.count()
}
