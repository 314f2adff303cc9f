//! Copies batches to the device.

use burn_tensor::Tensor;
use burn_tensor::backend::Backend;
use padwise_model_config::BackendChoice;

use super::backend_trainer::BackendTrainer;
use super::loss::{self, Labels};
use crate::batch::{Lengths, PaddedBatch, Targets};
use crate::error::ModelError;
use crate::kernels::KernelBackend;

/// The features of a batch on the device.
pub(super) struct Input<B: Backend> {
    pub features: Tensor<B, 3>,
    pub lengths: Lengths<B>,
}

/// A batch on the device.
pub(super) struct Placed<B: Backend> {
    pub input: Input<B>,
    pub labels: Box<dyn Labels<B>>,
}

impl<B: KernelBackend> BackendTrainer<B> {
    /// GPU kernels use 32-bit indices.
    fn refuse_uncountable(&self, frames: usize, utterances: usize) -> Result<(), ModelError> {
        let model = &self.config.model;
        let widest = (8 * model.hidden).max(model.classes);
        let largest = frames.saturating_mul(utterances).saturating_mul(widest);
        if self.description.backend == BackendChoice::Cpu || largest <= u32::MAX as usize {
            return Ok(());
        }
        let problem = format!(
            "of {frames} frames × {utterances} utterances needs a matrix of {largest} values, too many for \
             32-bit indices: use smaller batches"
        );
        Err(ModelError::batch("size", problem))
    }

    /// Copies a batch to the device.
    pub(super) fn place(&self, mut batch: PaddedBatch) -> Result<Placed<B>, ModelError> {
        batch.validate(self.config.model.inputs)?;
        let no_labels = Targets::Frames(Vec::new());
        let targets = std::mem::replace(&mut batch.targets, no_labels);
        let lengths = batch.lengths.clone();
        let input = self.place_features(batch)?;
        let [frames, utterances, _] = input.features.dims();
        let rows = frames * utterances;
        let labels = loss::labels(targets, &lengths, rows, &self.config, &self.device)?;
        Ok(Placed { input, labels })
    }

    /// Copies the features of a batch to the device.
    pub(super) fn place_features(&self, batch: PaddedBatch) -> Result<Input<B>, ModelError> {
        let inputs = self.config.model.inputs;
        let utterances = batch.len();
        let frames = B::padded_frames(batch.frames, utterances);
        self.refuse_uncountable(frames, utterances)?;
        // Time-major, so frames are appended at the end.
        let mut features = batch.inputs;
        features.resize(frames * utterances * inputs, 0.0);
        Ok(Input {
            lengths: Lengths::new(&batch.lengths, frames, &self.device)?,
            features: B::upload_floats(features, [frames, utterances, inputs], &self.device),
        })
    }
}
