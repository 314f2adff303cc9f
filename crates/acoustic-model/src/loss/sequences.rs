//! CTC as a loss of the model: label sequences checked and kept, and a value through which the gradient flows.

use burn::prelude::*;

use super::ctc::{Ctc, CtcBatch, CtcError, CtcLoss, Impossible};
#[cfg(any(feature = "cuda", feature = "wgpu"))]
use super::ctc::{Sequences, layout::Layout};
use crate::{ModelBackend, ModelError};

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
    /// The labels of all utterances one after the other, how many each has, and how many frames each has.
    pub fn new(
        labels: Vec<i32>,
        label_lengths: Vec<u32>,
        lengths: Vec<u32>,
        classes: usize,
        blank: u32,
    ) -> Result<Self, ModelError> {
        if let Some(label) = labels.iter().find(|&&label| label < 0) {
            return Err(ModelError::Batch {
                part: "label sequences",
                problem: format!("hold {label}; labels count from 0"),
            });
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

    fn settings(&self) -> Ctc {
        Ctc {
            blank: self.blank,
            impossible: Impossible::Refuse,
        }
    }
}

#[cfg(any(feature = "cuda", feature = "wgpu"))]
impl CtcTargets {
    /// How many utterances there are.
    pub(crate) fn utterances(&self) -> usize {
        self.lengths.len()
    }

    /// What kernels need to know, of a batch of so many rows; nothing, if it is too large to be counted.
    pub(crate) fn layout(&self, rows: usize) -> Result<Option<Layout>, ModelError> {
        let sequences = Sequences {
            frames: rows / self.lengths.len().max(1),
            classes: self.classes,
            lengths: &self.lengths,
            labels: &self.labels,
            label_lengths: &self.label_lengths,
        };
        Ok(Layout::new(&self.settings(), &sequences)?)
    }

    /// 0 for each row that is a frame of an utterance, -1 for padding.
    pub(crate) fn mask(&self, rows: usize) -> Vec<i32> {
        let count = self.lengths.len().max(1);
        let is_padding = |row: usize| row / count >= self.lengths[row % count];
        (0..rows).map(|row| -i32::from(is_padding(row))).collect()
    }
}

/// The loss of a batch of label sequences, and its gradient.
#[derive(Debug)]
pub struct SequenceScores<B: Backend> {
    /// The summed negative log-likelihood, `[1]`.
    pub loss_sum: Tensor<B, 1>,
    /// The gradient of the sum, times what was asked for, with respect to the scores, `[T·B, C]`.
    pub gradient: Tensor<B, 2>,
    /// The tables of alignments, where they are on the device: whoever drops them late can see what memory they take.
    pub tables: Option<Tensor<B, 1>>,
}

impl<B: Backend> SequenceScores<B> {
    /// Found on the host.
    pub(crate) fn on_host(
        scores: Tensor<B, 2>,
        targets: &CtcTargets,
        scale: f64,
    ) -> Result<Self, ModelError> {
        let (shape, device) = (scores.dims(), scores.device());
        let found = align_on_host(scores, targets)?;
        let sum = found.losses.iter().sum::<f64>() as f32;
        let gradient = Tensor::from_data(TensorData::new(found.gradient, shape), &device);
        Ok(Self {
            loss_sum: Tensor::from_data(TensorData::new(vec![sum], [1]), &device),
            gradient: gradient * scale,
            tables: None,
        })
    }
}

/// The alignments of scores `[T, B, C]` in row-major order, summed on the host; waits for the device.
pub(crate) fn align_on_host<B: Backend, const D: usize>(
    scores: Tensor<B, D>,
    targets: &CtcTargets,
) -> Result<CtcLoss, ModelError> {
    let values: Vec<f32> = scores
        .into_data()
        .convert::<f32>()
        .to_vec()
        .map_err(|_| CtcError::EmptyBatch)?;
    Ok(targets.settings().losses_and_gradient(&CtcBatch {
        logits: &values,
        classes: targets.classes,
        input_lengths: &targets.lengths,
        targets: &targets.labels,
        target_lengths: &targets.label_lengths,
    })?)
}

/// The summed negative log-likelihood of the sequences, `[1]`. Waits for the device: the alignments are summed on the host.
pub fn ctc_loss<B: ModelBackend>(
    logits: Tensor<B, 3>,
    targets: &CtcTargets,
) -> Result<Tensor<B, 1>, ModelError> {
    let (shape, device) = (logits.dims(), logits.device());
    let found = align_on_host(logits.clone(), targets)?;
    let gradient = Tensor::<B, 3>::from_data(TensorData::new(found.gradient, shape), &device);
    let sum = found.losses.iter().sum::<f64>() as f32;
    let value = Tensor::<B, 1>::from_data(TensorData::new(vec![sum], [1]), &device);
    // A value with a given gradient: this product has it, and is then replaced by the value itself.
    let linear = (logits * gradient).sum();
    Ok(linear.clone() - linear.detach() + value)
}
