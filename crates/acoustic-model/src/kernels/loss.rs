//! Inputs and outputs of the losses on the device: masked labels, losses and gradients.

use burn_tensor::backend::Backend;
use burn_tensor::{Int, Tensor, TensorData};
#[cfg(any(feature = "cuda", feature = "wgpu"))]
use padwise_cube_kernels::ctc::Layout;

use super::KernelBackend;
use super::gemm::{Bound, RowGradients};
use crate::batch::{RowLayout, check_lengths};
use crate::ctc::{Ctc, CtcBatch, CtcError, Unalignable};
use crate::error::ModelError;

/// The label of each row; negative for frames without a label and for padding.
#[derive(Debug, Clone)]
pub struct FrameTargets<B: Backend> {
    device: Tensor<B, 1, Int>,
    labelled: usize,
}

impl<B: Backend> FrameTargets<B> {
    /// Masks time-major labels and moves them to their rows. Negative labels mark frames without a label; labels in the
    /// padding are ignored. `upload` copies the labels of all rows to the device.
    pub fn new(
        labels: &[i32],
        layout: &RowLayout,
        classes: usize,
        upload: impl FnOnce(Vec<i32>) -> Tensor<B, 1, Int>,
    ) -> Result<Self, ModelError> {
        let (batch, lengths) = (layout.batch(), layout.lengths());
        if batch == 0 || !labels.len().is_multiple_of(batch) {
            let problem = format!("have {} values for {batch} utterances", labels.len());
            return Err(ModelError::batch("labels", problem));
        }
        check_lengths(lengths, labels.len() / batch)?;
        let mut masked = vec![-1; layout.rows()];
        let mut labelled = 0;
        for (place, &label) in labels.iter().enumerate() {
            let (t, b) = (place / batch, place % batch);
            if t >= lengths[b] as usize || label < 0 {
                continue;
            }
            if label as usize >= classes {
                let problem = format!(
                    "contain {label} at frame {t} of utterance {b}, but the model has {classes} classes"
                );
                return Err(ModelError::batch("labels", problem));
            }
            labelled += 1;
            masked[layout.row(b, t)] = label;
        }
        if labelled == 0 {
            return Err(ModelError::NothingLabelled {
                frames: labels.len(),
            });
        }
        Ok(Self {
            device: upload(masked),
            labelled,
        })
    }

    /// The labels on the device, `[N]`.
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

/// The masked cross-entropy and its gradient.
#[derive(Debug, Clone)]
pub struct FrameLoss<B: KernelBackend> {
    /// The sum of the losses of all labelled rows, and the number of those whose prediction is wrong, `[2]`.
    pub values: Tensor<B, 1>,
    /// The gradient with respect to the scores.
    pub gradient: RowGradients<B>,
}

impl<B: KernelBackend> FrameLoss<B> {
    /// Computes losses and gradient one after the other.
    pub fn in_parts(logits: Tensor<B, 2>, targets: &FrameTargets<B>, share: f64) -> Self {
        let scale = Tensor::full([1], share, &logits.device());
        let found = B::frame_scores(logits.clone(), targets);
        let gradient = B::frame_gradient(logits, found.log_sums, targets, scale);
        Self {
            values: Tensor::cat(vec![found.loss_sum, found.wrong], 0),
            // The gradient is a probability minus 1 or 0.
            gradient: RowGradients::new(gradient, Bound::Within(share)),
        }
    }
}

/// The label sequences of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct CtcTargets {
    labels: Vec<u32>,
    label_lengths: Vec<usize>,
    lengths: Vec<usize>,
    layout: RowLayout,
    classes: usize,
    blank: u32,
}

impl CtcTargets {
    /// Takes the concatenated labels of all utterances, the number of labels of each, and the rows of their frames.
    pub fn new(
        labels: Vec<i32>,
        label_lengths: &[u32],
        layout: RowLayout,
        classes: usize,
        blank: u32,
    ) -> Result<Self, ModelError> {
        if let Some(label) = labels.iter().find(|&&label| label < 0) {
            let problem = format!("contain {label}: labels must not be negative");
            return Err(ModelError::batch("label sequences", problem));
        }
        let wide = |lengths: &[u32]| lengths.iter().map(|&length| length as usize).collect();
        Ok(Self {
            labels: labels.into_iter().map(i32::unsigned_abs).collect(),
            label_lengths: wide(label_lengths),
            lengths: wide(layout.lengths()),
            layout,
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
    pub(crate) fn layout(&self) -> Result<Option<Layout>, ModelError> {
        let (settings, batch) = self.ctc();
        let targets = settings.targets(self.layout.frames(), &batch)?;
        let (classes, blank) = (self.classes, self.blank);
        Ok(Layout::new(&targets, &self.layout, classes, blank))
    }

    /// 0 for each row that is a frame of an utterance, -1 for padding.
    #[cfg(any(feature = "cuda", feature = "wgpu"))]
    pub(crate) fn mask(&self) -> Vec<i32> {
        let owners = self.layout.owners().into_iter();
        owners.map(|owner| -i32::from(owner.is_none())).collect()
    }
}

/// The loss of a batch of label sequences, and its gradient.
#[derive(Debug)]
pub struct SequenceScores<B: Backend> {
    /// The sum of the negative log-likelihoods, `[1]`.
    pub loss_sum: Tensor<B, 1>,
    /// The gradient of `scale` times the sum with respect to the scores, `[N, C]`.
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
        let values = targets.layout.to_time_major(values, classes);
        let found = settings.losses_and_gradient(&values, &batch)?;
        let sum = found.losses.iter().sum::<f64>() as f32;
        let gradient = targets.layout.from_time_major(found.gradient, classes);
        let gradient = TensorData::new(gradient, [rows, classes]);
        Ok(Self {
            loss_sum: Tensor::from_data(TensorData::new(vec![sum], [1]), &device),
            gradient: Tensor::from_data(gradient, &device) * scale,
            tables: None,
        })
    }
}
