//! CTC as a loss of the model: label sequences checked and kept, and a value through which the gradient flows.

use burn::prelude::*;

use super::ctc::{Ctc, CtcBatch, CtcError, CtcLoss, Impossible};
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
}

/// The alignments of scores `[T, B, C]` in row-major order, summed on the host; waits for the device.
pub(crate) fn align<B: Backend, const D: usize>(
    scores: Tensor<B, D>,
    targets: &CtcTargets,
) -> Result<CtcLoss, ModelError> {
    let values: Vec<f32> = scores
        .into_data()
        .convert::<f32>()
        .to_vec()
        .map_err(|_| CtcError::EmptyBatch)?;
    let ctc = Ctc {
        blank: targets.blank,
        impossible: Impossible::Refuse,
    };
    Ok(ctc.losses_and_gradient(&CtcBatch {
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
    let found = align(logits.clone(), targets)?;
    let gradient = Tensor::<B, 3>::from_data(TensorData::new(found.gradient, shape), &device);
    let sum = found.losses.iter().sum::<f64>() as f32;
    let value = Tensor::<B, 1>::from_data(TensorData::new(vec![sum], [1]), &device);
    // A value with a given gradient: this product has it, and is then replaced by the value itself.
    let linear = (logits * gradient).sum();
    Ok(linear.clone() - linear.detach() + value)
}
