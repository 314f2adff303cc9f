//! Copies batches to the device.

use burn_tensor::Tensor;
use burn_tensor::backend::Backend;
use padwise_model_config::{BackendChoice, Padding};

use super::backend_trainer::BackendTrainer;
use super::loss::{self, Labels};
use crate::batch::{BatchLayout, PaddedBatch, RowLayout, Targets};
use crate::error::ModelError;
use crate::kernels::KernelBackend;

/// The features of a batch on the device.
pub(super) struct Input<B: Backend> {
    pub features: Tensor<B, 2>,
    pub layout: BatchLayout<B>,
}

/// A batch on the device.
pub(super) struct Placed<B: KernelBackend> {
    pub input: Input<B>,
    pub labels: Box<dyn Labels<B>>,
}

impl<B: KernelBackend> BackendTrainer<B> {
    /// GPU kernels use 32-bit indices.
    fn refuse_uncountable(&self, layout: &RowLayout) -> Result<(), ModelError> {
        let model = &self.config.model;
        let widest = (8 * model.hidden).max(model.classes);
        let largest = layout.rows().saturating_mul(widest);
        if self.description.backend == BackendChoice::Cpu || largest <= u32::MAX as usize {
            return Ok(());
        }
        let problem = format!(
            "of {} frames × {} utterances needs a matrix of {largest} values, too many for 32-bit indices: use smaller \
             batches",
            layout.frames(),
            layout.batch()
        );
        Err(ModelError::batch("size", problem))
    }

    /// Copies a batch to the device.
    pub(super) fn place(&self, mut batch: PaddedBatch) -> Result<Placed<B>, ModelError> {
        batch.validate(self.config.model.inputs)?;
        let no_labels = Targets::Frames(Vec::new());
        let targets = std::mem::replace(&mut batch.targets, no_labels);
        let input = self.place_features(batch)?;
        let layout = input.layout.host();
        let labels = loss::labels(targets, layout, &self.config, &self.device)?;
        Ok(Placed { input, labels })
    }

    /// Copies the features of a batch to the device.
    pub(super) fn place_features(&self, batch: PaddedBatch) -> Result<Input<B>, ModelError> {
        let inputs = self.config.model.inputs;
        let layout = match self.config.padding {
            Padding::Padded => {
                let frames = B::padded_frames(batch.frames, batch.len());
                RowLayout::padded(&batch.lengths, frames)
            }
            Padding::Packed => RowLayout::packed(&batch.lengths, |rows| B::padded_frames(rows, 1)),
        };
        self.refuse_uncountable(&layout)?;
        let mut features = layout.from_time_major(batch.inputs, inputs);
        layout.clear_padding(&mut features, inputs);
        let shape = [layout.rows(), inputs];
        Ok(Input {
            layout: BatchLayout::uploaded(layout, |numbers| {
                let count = numbers.len();
                B::upload_integers(numbers, [count], &self.device)
            })?,
            features: B::upload_floats(features, shape, &self.device),
        })
    }
}
