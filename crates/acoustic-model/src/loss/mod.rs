//! Losses over padded batches: frame-wise cross-entropy and CTC. Padding and unlabelled frames count for nothing, and a
//! batch with nothing to learn from is an error, not NaN.

pub(crate) mod ctc;
pub(crate) mod plain;
mod sequences;
mod targets;

#[cfg(any(feature = "cuda", feature = "wgpu"))]
pub(crate) mod cube;

pub use ctc::{Ctc, CtcBatch, CtcError, CtcLoss, Impossible};
pub use sequences::{CtcTargets, SequenceScores, ctc_loss};
pub use targets::FrameTargets;

use burn::prelude::*;

use crate::ModelBackend;
use crate::layer::rows;

/// The frame-wise loss of a batch.
#[derive(Debug, Clone)]
pub struct FrameLoss<B: Backend> {
    /// Cross-entropy averaged over labelled frames, `[1]`: what a training step descends.
    pub mean: Tensor<B, 1>,
    /// The same, summed: averaging over batches of different sizes needs it.
    pub sum: Tensor<B, 1>,
    /// How many labelled frames have their largest score at another class, `[1]`.
    pub wrong: Tensor<B, 1>,
}

/// Frame-wise cross-entropy of scores `[T, B, C]` against labels.
pub fn frame_loss<B: ModelBackend>(
    logits: Tensor<B, 3>,
    targets: &FrameTargets<B>,
) -> FrameLoss<B> {
    let (sum, wrong) = B::frame_loss(rows(logits), targets);
    FrameLoss {
        mean: sum.clone() / targets.labelled() as f64,
        sum,
        wrong,
    }
}
