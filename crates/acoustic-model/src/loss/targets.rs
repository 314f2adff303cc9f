//! Frame labels on the device, with padding masked out.

use burn::prelude::*;

use crate::ModelError;
use crate::lengths::check_lengths;

/// The label of each row of `[T·B]`; negative where there is none or the frame is padding.
#[derive(Debug, Clone)]
pub struct FrameTargets<B: Backend> {
    device: Tensor<B, 1, Int>,
    labelled: usize,
}

impl<B: Backend> FrameTargets<B> {
    /// Labels `[T, B]`, time-major, of a batch with these lengths. Negative labels mean that a frame has none; labels in
    /// the padding are ignored, whatever they are.
    pub fn new(
        labels: &[i32],
        lengths: &[u32],
        classes: usize,
        device: &B::Device,
    ) -> Result<Self, ModelError> {
        let upload = |values, shape: [usize; 1], device: &_| {
            Tensor::from_data(TensorData::new(values, shape), device)
        };
        Self::with_upload(labels, lengths, labels.len(), classes, device, upload)
    }

    /// The same, padded to `rows`, and brought to the device as the backend does it best.
    pub(crate) fn with_upload(
        labels: &[i32],
        lengths: &[u32],
        rows: usize,
        classes: usize,
        device: &B::Device,
        upload: impl FnOnce(Vec<i32>, [usize; 1], &B::Device) -> Tensor<B, 1, Int>,
    ) -> Result<Self, ModelError> {
        let batch = lengths.len();
        if batch == 0 || !labels.len().is_multiple_of(batch) {
            return Err(ModelError::Batch {
                part: "labels",
                problem: format!("are {} for {batch} utterances", labels.len()),
            });
        }
        check_lengths(lengths, labels.len() / batch)?;
        let mut masked = Vec::with_capacity(labels.len());
        let mut labelled = 0;
        for (row, &label) in labels.iter().enumerate() {
            let (t, b) = (row / batch, row % batch);
            let counts = t < lengths[b] as usize && label >= 0;
            if counts && label as usize >= classes {
                return Err(ModelError::Batch {
                    part: "labels",
                    problem: format!(
                        "hold {label} at frame {t} of utterance {b}, but the model has {classes} classes"
                    ),
                });
            }
            labelled += usize::from(counts);
            masked.push(if counts { label } else { -1 });
        }
        if labelled == 0 {
            return Err(ModelError::NothingLabelled {
                frames: labels.len(),
            });
        }
        masked.resize(rows, -1);
        Ok(Self {
            device: upload(masked, [rows], device),
            labelled,
        })
    }

    /// The labels on the device, `[T·B]`.
    pub fn device(&self) -> Tensor<B, 1, Int> {
        self.device.clone()
    }

    /// How many frames have a label: never zero.
    pub fn labelled(&self) -> usize {
        self.labelled
    }
}

impl<B: burn::tensor::backend::AutodiffBackend> FrameTargets<B> {
    /// The same labels for the backend below autodiff.
    pub fn inner(&self) -> FrameTargets<B::InnerBackend> {
        FrameTargets {
            device: self.device.clone().inner(),
            labelled: self.labelled,
        }
    }
}
