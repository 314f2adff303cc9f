//! What the model asks of a backend beyond burn's own operations.
//!
//! [`KernelBackend`] is implemented by each backend below autodiff (CPU, CUDA, wgpu): the parts of a training step for which
//! it has something faster than a chain of tensor operations. Beyond products and the recurrence, everything has a plain
//! version here, in burn's operations, which a backend replaces where it pays. [`ModelBackend`] is what the model is written against: the
//! same operations with or without autodiff ([`crate::layer`], [`crate::loss`]).

use burn::prelude::*;
use padwise_model_config::Precision;

use crate::dropout::Dropout;
use crate::layer::{LayerOptions, LayerWeights};
use crate::loss::{CtcTargets, FrameTargets, SequenceScores};
use crate::optimiser::{AdadeltaStep, AdamStep, Moments};
use crate::products::{Bound, Part};
use crate::recurrence::Unrolled;
use crate::{Lengths, ModelError, loss, optimiser};

/// Row by row results of the masked cross-entropy, and what its gradient needs.
#[derive(Debug, Clone)]
pub struct FrameScores<B: Backend> {
    /// The sum of the losses of all labelled rows, `[1]`.
    pub loss_sum: Tensor<B, 1>,
    /// How many labelled rows have their largest score elsewhere, `[1]`.
    pub wrong: Tensor<B, 1>,
    /// The logarithm of each row's sum of exponentials, `[N]`.
    pub log_sums: Tensor<B, 1>,
}

/// The parts of a training step that a backend may have a faster way for.
pub trait KernelBackend: Backend {
    /// A matrix made ready to be a factor of products.
    type Factor: Clone + std::fmt::Debug + Send + 'static;

    /// Makes a matrix ready to be a factor of products.
    fn factor(matrix: Tensor<Self, 2>, bound: Bound<Self>, precision: Precision) -> Self::Factor;

    /// The product of two factors, or of parts of them.
    fn product(lhs: Part<'_, Self::Factor>, rhs: Part<'_, Self::Factor>) -> Tensor<Self, 2>;

    /// How many frames to pad a batch to before it goes to the device: no fewer than it has.
    fn padded_frames(frames: usize, _utterances: usize) -> usize {
        frames
    }

    /// Numbers of a batch on their way to the device: without waiting for what the device is doing, where a backend can.
    fn upload_floats<const D: usize>(
        values: Vec<f32>,
        shape: [usize; D],
        device: &Self::Device,
    ) -> Tensor<Self, D> {
        Tensor::from_data(TensorData::new(values, shape), device)
    }

    /// The same for integers.
    fn upload_integers<const D: usize>(
        values: Vec<i32>,
        shape: [usize; D],
        device: &Self::Device,
    ) -> Tensor<Self, D, Int> {
        Tensor::from_data(TensorData::new(values, shape), device)
    }

    /// A bias added to every row.
    fn add_to_rows(matrix: Tensor<Self, 2>, bias: Tensor<Self, 1>) -> Tensor<Self, 2> {
        matrix + bias.unsqueeze()
    }

    /// The sum of each column.
    fn column_sums(matrix: Tensor<Self, 2>) -> Tensor<Self, 1> {
        matrix.sum_dim(0).squeeze_dim(0)
    }

    /// The backend's fast recurrence, forward; see [`crate::recurrence`] for the contract.
    fn fused_forward(
        projections: Tensor<Self, 3>,
        bias: Tensor<Self, 1>,
        weight_hh: Tensor<Self, 3>,
        lengths: &Lengths<Self>,
        precision: Precision,
    ) -> Unrolled<Self>;

    /// The backend's fast recurrence, backward; see [`crate::recurrence`] for the contract.
    fn fused_backward(
        grad_output: Tensor<Self, 3>,
        gates: Tensor<Self, 3>,
        cells: Tensor<Self, 3>,
        weight_hh: Tensor<Self, 3>,
        lengths: &Lengths<Self>,
        precision: Precision,
    ) -> Tensor<Self, 3>;

    /// The fastest recurrence that the backend has for this shape, forward.
    fn fastest_forward(
        projections: Tensor<Self, 3>,
        bias: Tensor<Self, 1>,
        weight_hh: Tensor<Self, 3>,
        lengths: &Lengths<Self>,
        precision: Precision,
    ) -> Unrolled<Self> {
        Self::fused_forward(projections, bias, weight_hh, lengths, precision)
    }

    /// The fastest recurrence that the backend has for this shape, backward; and what it knows of the result's magnitudes.
    fn fastest_backward(
        grad_output: Tensor<Self, 3>,
        gates: Tensor<Self, 3>,
        cells: Tensor<Self, 3>,
        weight_hh: Tensor<Self, 3>,
        lengths: &Lengths<Self>,
        precision: Precision,
    ) -> (Tensor<Self, 3>, Bound<Self>) {
        let gradients =
            Self::fused_backward(grad_output, gates, cells, weight_hh, lengths, precision);
        (gradients, Bound::Unknown)
    }

    /// Masked softmax and cross-entropy of scores `[N, C]`.
    fn frame_scores(logits: Tensor<Self, 2>, targets: &FrameTargets<Self>) -> FrameScores<Self> {
        loss::plain::frame_scores(logits, targets)
    }

    /// The gradient of `scale` times the summed loss with respect to the scores, zero on rows without a label.
    fn frame_gradient(
        logits: Tensor<Self, 2>,
        log_sums: Tensor<Self, 1>,
        targets: &FrameTargets<Self>,
        scale: Tensor<Self, 1>,
    ) -> Tensor<Self, 2> {
        loss::plain::frame_gradient(logits, log_sums, targets, scale)
    }

    /// CTC of scores `[T·B, C]`: the summed loss, and the gradient of `scale` times the sum.
    fn sequence_scores(
        scores: Tensor<Self, 2>,
        targets: &CtcTargets,
        scale: f64,
    ) -> Result<SequenceScores<Self>, ModelError> {
        SequenceScores::on_host(scores, targets, scale)
    }

    /// Drops the values that the hash of their index tells, and scales up the rest.
    fn drop_out(values: Tensor<Self, 3>, dropout: Dropout) -> Tensor<Self, 3> {
        crate::dropout::plain(values, dropout)
    }

    /// Gradients scaled down to a norm of all of them together of at most `most`.
    ///
    /// There is no plain version: burn's sums of whole tensors add in an order that varies from run to run, and with it the norm.
    fn clip_global_norm(gradients: Tensor<Self, 1>, most: f64) -> Tensor<Self, 1>;

    /// One step of Adam over all parameters at once.
    fn adam(
        parameters: Tensor<Self, 1>,
        gradients: Tensor<Self, 1>,
        moments: Moments<Self>,
        step: AdamStep,
    ) -> (Tensor<Self, 1>, Moments<Self>) {
        optimiser::adam::plain(parameters, gradients, moments, step)
    }

    /// One step of ADADELTA over all parameters at once.
    fn adadelta(
        parameters: Tensor<Self, 1>,
        gradients: Tensor<Self, 1>,
        moments: Moments<Self>,
        step: AdadeltaStep,
    ) -> (Tensor<Self, 1>, Moments<Self>) {
        optimiser::adadelta::plain(parameters, gradients, moments, step)
    }
}

/// The operations that the model is made of, with autodiff or without.
pub trait ModelBackend: Backend {
    /// One bidirectional layer: `[T, B, I]` to `[T, B, 2H]`.
    fn blstm_layer(
        input: Tensor<Self, 3>,
        weights: LayerWeights<Self>,
        lengths: &Lengths<Self>,
        options: LayerOptions,
    ) -> Tensor<Self, 3>;

    /// `input·weightᵀ + bias` over rows.
    fn scores(
        input: Tensor<Self, 2>,
        weight: Tensor<Self, 2>,
        bias: Tensor<Self, 1>,
        precision: Precision,
    ) -> Tensor<Self, 2>;

    /// Masked cross-entropy: the summed loss `[1]`, through which gradients flow, and the number of wrong frames `[1]`,
    /// through which none do.
    fn frame_loss(
        logits: Tensor<Self, 2>,
        targets: &FrameTargets<Self>,
    ) -> (Tensor<Self, 1>, Tensor<Self, 1>);

    /// Dropout by the hash of each value's index.
    fn dropout(values: Tensor<Self, 3>, dropout: Dropout) -> Tensor<Self, 3>;
}
