//! A padded batch on the host: what the loader hands to the trainer.

mod lengths;

pub use lengths::Lengths;
pub(crate) use lengths::check_lengths;

use crate::error::ModelError;

/// The labels of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum Targets {
    /// One label a frame, `[T, B]` time-major; negative where a frame has none. What the padding holds does not matter.
    Frames(Vec<i32>),
    /// A sequence of labels an utterance, for CTC: all labels one after the other, and how many each utterance has.
    Sequences {
        /// Labels of all utterances.
        labels: Vec<i32>,
        /// Labels of each utterance.
        lengths: Vec<u32>,
    },
}

/// Utterances padded to a common length.
#[derive(Debug, Clone, PartialEq)]
pub struct PaddedBatch {
    /// Features, `[T, B, D]`, time-major. What the padding holds does not matter.
    pub inputs: Vec<f32>,
    /// Frames of each utterance.
    pub lengths: Vec<u32>,
    /// Frames that the batch is padded to.
    pub frames: usize,
    /// What to learn.
    pub targets: Targets,
}

impl PaddedBatch {
    /// Utterances in the batch.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there is no utterance in it.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Whether the parts fit each other and a model of `inputs` features a frame.
    pub fn validate(&self, inputs: usize) -> Result<(), ModelError> {
        check_lengths(&self.lengths, self.frames)?;
        let problem = |part, problem: String| Err(ModelError::batch(part, problem));
        let (frames, utterances) = (self.frames, self.len());
        let rows = frames.saturating_mul(utterances);
        if rows.saturating_mul(inputs) > i32::MAX as usize {
            return problem(
                "inputs",
                format!(
                    "would be {frames} frames of {utterances} utterances, more than can be counted"
                ),
            );
        }
        let (found, count) = (self.inputs.len(), rows * inputs);
        if found != count {
            return problem(
                "inputs",
                format!(
                    "are {found} numbers, but {frames} frames of {utterances} utterances with {inputs} features are {count}"
                ),
            );
        }
        match &self.targets {
            Targets::Frames(labels) if labels.len() != rows => problem(
                "labels",
                format!(
                    "are {}, but {frames} frames of {utterances} utterances are {rows}",
                    labels.len()
                ),
            ),
            Targets::Sequences { lengths, .. } if lengths.len() != utterances => problem(
                "label sequences",
                format!("are {} for {utterances} utterances", lengths.len()),
            ),
            _ => Ok(()),
        }
    }
}
