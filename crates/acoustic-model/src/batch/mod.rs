//! A batch on the host, which is the input of the trainer, and the rows of its frames on the device.

mod layout;

pub use layout::BatchLayout;
pub(crate) use layout::check_lengths;
pub use padwise_cpu_kernels::RowLayout;

use crate::error::ModelError;

/// The labels of a batch.
#[derive(Debug, Clone, PartialEq)]
pub enum Targets {
    /// One label per frame, `[T, B]` time-major; negative if a frame has no label. The contents of the
    /// padding are ignored.
    Frames(Vec<i32>),
    /// One label sequence per utterance, for CTC.
    Sequences {
        /// The labels of all utterances, concatenated.
        labels: Vec<i32>,
        /// The number of labels of each utterance.
        lengths: Vec<u32>,
    },
}

/// Utterances padded to a common length.
#[derive(Debug, Clone, PartialEq)]
pub struct PaddedBatch {
    /// Features, `[T, B, D]`, time-major. The contents of the padding are ignored.
    pub inputs: Vec<f32>,
    /// Frames of each utterance.
    pub lengths: Vec<u32>,
    /// The padded length of the batch, in frames.
    pub frames: usize,
    /// The labels.
    pub targets: Targets,
}

impl PaddedBatch {
    /// The number of utterances.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether the batch has no utterances.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Checks that all parts are consistent, for a model with `inputs` features per frame.
    pub fn validate(&self, inputs: usize) -> Result<(), ModelError> {
        check_lengths(&self.lengths, self.frames)?;
        let problem = |part, problem: String| Err(ModelError::batch(part, problem));
        let (frames, utterances) = (self.frames, self.len());
        let rows = frames.saturating_mul(utterances);
        if rows.saturating_mul(inputs) > i32::MAX as usize {
            return problem(
                "inputs",
                format!(
                    "are too large: {frames} frames of {utterances} utterances with {inputs} features exceed 2^31 numbers; make batches smaller"
                ),
            );
        }
        let (found, count) = (self.inputs.len(), rows * inputs);
        if found != count {
            return problem(
                "inputs",
                format!(
                    "have {found} numbers, but {frames} frames of {utterances} utterances with {inputs} features need {count}"
                ),
            );
        }
        match &self.targets {
            Targets::Frames(labels) if labels.len() != rows => problem(
                "labels",
                format!(
                    "have {} values, but {frames} frames of {utterances} utterances need {rows}",
                    labels.len()
                ),
            ),
            Targets::Sequences { lengths, .. } if lengths.len() != utterances => problem(
                "label sequences",
                format!("have {} lengths for {utterances} utterances", lengths.len()),
            ),
            _ => Ok(()),
        }
    }
}
