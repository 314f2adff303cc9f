//! The masked cross-entropy in burn's own operations: right on every backend and in every float type. It serves a
//! backend that has nothing faster of its own.

use burn::prelude::*;

use super::FrameTargets;
use crate::FrameScores;

/// True on rows without a label, and the labels with 0 in their place.
fn masked<B: Backend>(targets: &FrameTargets<B>) -> (Tensor<B, 1, Bool>, Tensor<B, 1, Int>) {
    let labels = targets.device();
    let ignored = labels.clone().lower_elem(0);
    (ignored, labels.clamp_min(0))
}

/// See [`crate::KernelBackend::frame_scores`].
pub(crate) fn frame_scores<B: Backend>(
    logits: Tensor<B, 2>,
    targets: &FrameTargets<B>,
) -> FrameScores<B> {
    let [rows, _] = logits.dims();
    let (ignored, labels) = masked(targets);
    let largest = logits.clone().max_dim(1);
    let sums = (logits.clone() - largest.clone()).exp().sum_dim(1);
    let log_sums = (sums.log() + largest).reshape([rows]);
    let picked = logits
        .clone()
        .gather(1, labels.clone().reshape([rows, 1]))
        .reshape([rows]);
    let losses = (log_sums.clone() - picked).mask_fill(ignored.clone(), 0.0);
    let wrong = logits
        .argmax(1)
        .reshape([rows])
        .not_equal(labels)
        .float()
        .mask_fill(ignored, 0.0);
    FrameScores {
        loss_sum: losses.sum(),
        wrong: wrong.sum(),
        log_sums,
    }
}

/// See [`crate::KernelBackend::frame_gradient`].
pub(crate) fn frame_gradient<B: Backend>(
    logits: Tensor<B, 2>,
    log_sums: Tensor<B, 1>,
    targets: &FrameTargets<B>,
    scale: Tensor<B, 1>,
) -> Tensor<B, 2> {
    let [rows, classes] = logits.dims();
    let (ignored, labels) = masked(targets);
    let options = (logits.device(), logits.dtype());
    let softmax = (logits - log_sums.reshape([rows, 1])).exp();
    let right = Tensor::<B, 1, Int>::arange(0..classes as i64, &options.0)
        .reshape([1, classes])
        .expand([rows, classes])
        .equal(labels.reshape([rows, 1]).expand([rows, classes]));
    let gradient = softmax.clone().mask_where(right, softmax - 1.0);
    (gradient * scale.reshape([1, 1]))
        .mask_fill(ignored.reshape([rows, 1]).expand([rows, classes]), 0.0)
}
