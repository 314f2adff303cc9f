//! What the model asks of a backend beyond burn's own operations.
//!
//! [`KernelBackend`] is implemented by each backend (CPU, CUDA, wgpu): the parts of a training step for which it has something
//! faster than a chain of tensor operations. The plain data that they take and give is here as well, one file a part.

pub mod dropout;
pub mod gemm;
pub mod loss;
pub mod optimiser;
pub mod recurrence;

use burn::tensor::backend::Backend;
use burn::tensor::{Int, Tensor, TensorData};
use padwise_model_config::Precision;

use crate::error::ModelError;
use dropout::Dropout;
use gemm::{Bound, MatrixView};
use loss::{CtcTargets, FrameScores, FrameTargets, SequenceScores};
use optimiser::{Moments, UpdateRule};
use recurrence::{BackwardInput, ForwardInput, LayerOptions, Unrolled};

/// The parts of a training step that a backend may have a faster way for.
pub trait KernelBackend: Backend {
    /// A matrix made ready to be a factor of matrix multiplications.
    type Factor: Clone + std::fmt::Debug + Send + 'static;

    /// Makes a matrix ready to be a factor of matrix multiplications.
    fn factor(matrix: Tensor<Self, 2>, bound: Bound<Self>, precision: Precision) -> Self::Factor;

    /// The product of two factors, or of parts of them.
    fn multiply(
        lhs: MatrixView<'_, Self::Factor>,
        rhs: MatrixView<'_, Self::Factor>,
    ) -> Tensor<Self, 2>;

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

    /// The backend's fast recurrence, forward; [`recurrence`] has the contract. The options name one that is not `reference`.
    fn recurrence_forward(input: ForwardInput<'_, Self>, options: LayerOptions) -> Unrolled<Self>;

    /// The same backward: the gate gradients, and what is known of their magnitudes.
    fn recurrence_backward(
        input: BackwardInput<'_, Self>,
        options: LayerOptions,
    ) -> (Tensor<Self, 3>, Bound<Self>);

    /// Masked softmax and cross-entropy of scores `[N, C]`.
    fn frame_scores(logits: Tensor<Self, 2>, targets: &FrameTargets<Self>) -> FrameScores<Self>;

    /// The gradient of `scale` times the summed loss with respect to the scores, zero on rows without a label.
    fn frame_gradient(
        logits: Tensor<Self, 2>,
        log_sums: Tensor<Self, 1>,
        targets: &FrameTargets<Self>,
        scale: Tensor<Self, 1>,
    ) -> Tensor<Self, 2>;

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
        dropout::on_host(values, dropout)
    }

    /// Gradients scaled down to a norm of all of them together of at most `most`, summed in the same order every time.
    fn clip_global_norm(gradients: Tensor<Self, 1>, most: f64) -> Tensor<Self, 1>;

    /// One step of an optimiser over all parameters at once.
    fn update(
        rule: UpdateRule,
        parameters: Tensor<Self, 1>,
        gradients: Tensor<Self, 1>,
        moments: Moments<Self>,
    ) -> (Tensor<Self, 1>, Moments<Self>);
}
