//! Inputs and outputs of the losses on the device: masked labels, losses and gradients.

use burn_tensor::backend::Backend;
use burn_tensor::{Int, Tensor, TensorData};
#[cfg(any(feature = "cuda", feature = "wgpu"))]
use padwise_cube_kernels::ctc::Layout;

use crate::batch::check_lengths;
use crate::ctc::{Ctc, CtcBatch, CtcError, Unalignable};
use crate::error::ModelError;

/// The label of each row of `[T·B]`; negative for frames without a label and for padding.
#[derive(Debug, Clone)]
pub struct FrameTargets<B: Backend> {
    device: Tensor<B, 1, Int>,
    labelled: usize,
}

impl<B: Backend> FrameTargets<B> {
    /// Masks labels `[T, B]` (time-major) with these lengths. Negative labels mark frames without a label;
    /// labels in the padding are ignored. `upload` copies them to the device, padded to `rows`.
    pub fn new(
        labels: &[i32],
        lengths: &[u32],
        rows: usize,
        classes: usize,
        upload: impl FnOnce(Vec<i32>) -> Tensor<B, 1, Int>,
    ) -> Result<Self, ModelError> {
        let batch = lengths.len();
        if batch == 0 || !labels.len().is_multiple_of(batch) {
            let problem = format!("have {} values for {batch} utterances", labels.len());
            return Err(ModelError::batch("labels", problem));
        }
        check_lengths(lengths, labels.len() / batch)?;
        let mut masked = Vec::with_capacity(labels.len());
        let mut labelled = 0;
        for (row, &label) in labels.iter().enumerate() {
            let (t, b) = (row / batch, row % batch);
            let counts = t < lengths[b] as usize && label >= 0;
            if counts && label as usize >= classes {
                let problem = format!(
                    "contain {label} at frame {t} of utterance {b}, but the model has {classes} classes"
                );
                return Err(ModelError::batch("labels", problem));
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
            device: upload(masked),
            labelled,
        })
    }

    /// The labels on the device, `[T·B]`.
    pub fn device(&self) -> Tensor<B, 1, Int> {
        self.device.clone()
    }

    /// The number of labelled frames; never zero.
    pub fn labelled(&self) -> usize {
        self.labelled
    }
}

/// Results of the masked cross-entropy, and the values that its gradient needs.
#[derive(Debug, Clone)]
pub struct FrameScores<B: Backend> {
    /// The sum of the losses of all labelled rows, `[1]`.
    pub loss_sum: Tensor<B, 1>,
    /// The number of labelled rows whose prediction is wrong, `[1]`.
    pub wrong: Tensor<B, 1>,
    /// The log-sum-exp of each row, `[N]`.
    pub log_sums: Tensor<B, 1>,
}

/// The label sequences of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct CtcTargets {
    labels: Vec<u32>,
    label_lengths: Vec<usize>,
    lengths: Vec<usize>,
    classes: usize,
    blank: u32,
}

impl CtcTargets {
    /// Takes the concatenated labels of all utterances, and the number of labels and frames of each.
    pub fn new(
        labels: Vec<i32>,
        label_lengths: Vec<u32>,
        lengths: Vec<u32>,
        classes: usize,
        blank: u32,
    ) -> Result<Self, ModelError> {
        if let Some(label) = labels.iter().find(|&&label| label < 0) {
            let problem = format!("contain {label}: labels must not be negative");
            return Err(ModelError::batch("label sequences", problem));
        }
        let wide = |lengths: Vec<u32>| lengths.into_iter().map(|length| length as usize).collect();
        Ok(Self {
            labels: labels.into_iter().map(i32::unsigned_abs).collect(),
            label_lengths: wide(label_lengths),
            lengths: wide(lengths),
            classes,
            blank,
        })
    }

    /// The settings of the loss, and the batch in its form.
    fn ctc(&self) -> (Ctc, CtcBatch<'_>) {
        let settings = Ctc {
            blank: self.blank,
            unalignable: Unalignable::Refuse,
        };
        let batch = CtcBatch {
            classes: self.classes,
            input_lengths: &self.lengths,
            targets: &self.labels,
            target_lengths: &self.label_lengths,
        };
        (settings, batch)
    }

    /// The number of utterances.
    pub fn utterances(&self) -> usize {
        self.lengths.len()
    }

    /// The layout for the GPU kernels, or `None` if the batch is too large for 32-bit offsets.
    #[cfg(any(feature = "cuda", feature = "wgpu"))]
    pub(crate) fn layout(&self, rows: usize) -> Result<Option<Layout>, ModelError> {
        let frames = rows / self.lengths.len().max(1);
        let (settings, batch) = self.ctc();
        let targets = settings.targets(frames, &batch)?;
        Ok(Layout::new(
            &targets,
            &self.lengths,
            self.classes,
            self.blank,
        ))
    }

    /// 0 for each row that is a frame of an utterance, -1 for padding.
    #[cfg(any(feature = "cuda", feature = "wgpu"))]
    pub(crate) fn mask(&self, rows: usize) -> Vec<i32> {
        let count = self.lengths.len().max(1);
        let is_padding = |row: usize| row / count >= self.lengths[row % count];
        (0..rows).map(|row| -i32::from(is_padding(row))).collect()
    }
}

/// The loss of a batch of label sequences, and its gradient.
#[derive(Debug)]
pub struct SequenceScores<B: Backend> {
    /// The sum of the negative log-likelihoods, `[1]`.
    pub loss_sum: Tensor<B, 1>,
    /// The gradient of `scale` times the sum with respect to the scores, `[T·B, C]`.
    pub gradient: Tensor<B, 2>,
    /// The alignment tables, if they are on the device. Keep them until memory has been measured.
    pub tables: Option<Tensor<B, 1>>,
}

impl<B: Backend> SequenceScores<B> {
    /// Computes the loss on the host; waits for the device.
    pub(crate) fn on_host(
        scores: Tensor<B, 2>,
        targets: &CtcTargets,
        scale: f64,
    ) -> Result<Self, ModelError> {
        let ([rows, classes], device) = (scores.dims(), scores.device());
        let values: Vec<f32> = scores
            .into_data()
            .convert::<f32>()
            .to_vec()
            .map_err(|_| CtcError::EmptyBatch)?;
        let (settings, batch) = targets.ctc();
        let found = settings.losses_and_gradient(&values, &batch)?;
        let sum = found.losses.iter().sum::<f64>() as f32;
        let gradient = TensorData::new(found.gradient, [rows, classes]);
        Ok(Self {
            loss_sum: Tensor::from_data(TensorData::new(vec![sum], [1]), &device),
            gradient: Tensor::from_data(gradient, &device) * scale,
            tables: None,
        })
    }
}
