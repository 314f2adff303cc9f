//! The operations that a backend provides beyond burn's.
//!
//! Each backend (CPU, CUDA, wgpu) implements [`KernelBackend`], with fast kernels for parts of a training
//! step. Some have a default implementation by tensor operations. The data types of the kernels are here too,
//! one file per part.

pub mod dropout;
pub mod gemm;
pub mod loss;
pub mod optimiser;
pub mod recurrence;

use std::ops::Range;

use burn_tensor::backend::Backend;
use burn_tensor::{Int, Tensor, TensorData};
use padwise_model_config::Precision;

use crate::batch::BatchLayout;
use crate::error::ModelError;
use dropout::Dropout;
use gemm::{Bound, MatrixAt, MatrixView, Product, RowGradients};
use loss::{CtcTargets, FrameLoss, FrameScores, FrameTargets, SequenceScores};
use optimiser::{Moments, UpdateRule};
use recurrence::{BackwardInput, ForwardInput, GateOrder, LayerOptions, Unrolled};

/// Takes a vector out of its place, so that its memory is not shared.
pub(crate) fn take_out<B: Backend>(vector: &mut Tensor<B, 1>) -> Tensor<B, 1> {
    let nothing = Tensor::empty([0], &vector.device());
    std::mem::replace(vector, nothing)
}

/// The parts of a training step that a backend can accelerate.
pub trait KernelBackend: Backend {
    /// A matrix prepared as an operand of matrix multiplications.
    type Factor: Clone + std::fmt::Debug + Send + 'static;

    /// Prepares a matrix as an operand of matrix multiplications.
    fn factor(matrix: Tensor<Self, 2>, bound: Bound<Self>, precision: Precision) -> Self::Factor;

    /// Prepares several matrices of a vector, if possible at once.
    fn factors(
        vector: &Tensor<Self, 1>,
        matrices: &[MatrixAt],
        precision: Precision,
    ) -> Vec<Self::Factor> {
        let one = |matrix: &MatrixAt| matrix.factor(vector, precision);
        matrices.iter().map(one).collect()
    }

    /// The fastest order of gates for a layer of this size and a batch. A backend that returns [`GateOrder::Interleaved`] must
    /// interleave rows of [`KernelBackend::factors`] if requested, and write products whose rows are interleaved gates in the order of
    /// the parameters.
    fn gate_order(
        _hidden: usize,
        _layout: &BatchLayout<Self>,
        _options: LayerOptions,
    ) -> GateOrder {
        GateOrder::ByGate
    }

    /// Multiplies a layer's input by its transposed input weights.
    fn project(
        input: &Self::Factor,
        weights: &Self::Factor,
        _options: LayerOptions,
    ) -> Tensor<Self, 2> {
        let weights = MatrixView::all(weights).transposed();
        Self::multiply(MatrixView::all(input), weights)
    }

    /// Multiplies two factors, or views of them.
    fn multiply(
        lhs: MatrixView<'_, Self::Factor>,
        rhs: MatrixView<'_, Self::Factor>,
    ) -> Tensor<Self, 2>;

    /// Like [`KernelBackend::multiply`], and adds a bias to every row.
    fn multiply_and_add(
        lhs: MatrixView<'_, Self::Factor>,
        rhs: MatrixView<'_, Self::Factor>,
        bias: Tensor<Self, 1>,
    ) -> Tensor<Self, 2> {
        Self::add_to_rows(Self::multiply(lhs, rhs), bias)
    }

    /// Like [`KernelBackend::multiply`], and finds the product's magnitude if that costs little.
    fn multiply_and_measure(
        lhs: MatrixView<'_, Self::Factor>,
        rhs: MatrixView<'_, Self::Factor>,
    ) -> Product<Self> {
        Self::multiply(lhs, rhs).into()
    }

    /// Like [`KernelBackend::multiply`], but writes the product into a vector from index `at` on, row by row. No other
    /// tensor may share the vector's memory.
    fn multiply_into(
        lhs: MatrixView<'_, Self::Factor>,
        rhs: MatrixView<'_, Self::Factor>,
        vector: &mut Tensor<Self, 1>,
        at: usize,
    ) {
        Self::overwrite(vector, at, Self::multiply(lhs, rhs).flatten(0, 1));
    }

    /// Multiplies two pairs of factors of the same shapes, and writes both products like [`KernelBackend::multiply_into`], one
    /// after the other.
    fn multiply_both_into(
        pairs: [[MatrixView<'_, Self::Factor>; 2]; 2],
        shape: [usize; 2],
        vector: &mut Tensor<Self, 1>,
        at: usize,
    ) {
        let [rows, columns] = shape;
        for (index, [lhs, rhs]) in pairs.into_iter().enumerate() {
            Self::multiply_into(lhs, rhs, vector, at + index * rows * columns);
        }
    }

    /// Overwrites the values of a vector from index `at` on, in place if its memory is not shared.
    fn overwrite(vector: &mut Tensor<Self, 1>, at: usize, part: Tensor<Self, 1>) {
        let range = at..at + part.dims()[0];
        *vector = take_out(vector).slice_assign([range], part);
    }

    /// A range of a vector, without a copy if the backend supports it.
    fn part(vector: &Tensor<Self, 1>, range: Range<usize>) -> Tensor<Self, 1> {
        vector.clone().slice([range])
    }

    /// The number of frames to pad a batch to before it is copied to the device; at least `frames`. A packed batch is
    /// padded like one utterance.
    fn padded_frames(frames: usize, _utterances: usize) -> usize {
        frames
    }

    /// Copies numbers to the device, without waiting for earlier work if the backend supports it.
    fn upload_floats<const D: usize>(
        values: Vec<f32>,
        shape: [usize; D],
        device: &Self::Device,
    ) -> Tensor<Self, D> {
        Tensor::from_data(TensorData::new(values, shape), device)
    }

    /// Like [`KernelBackend::upload_floats`], for integers.
    fn upload_integers<const D: usize>(
        values: Vec<i32>,
        shape: [usize; D],
        device: &Self::Device,
    ) -> Tensor<Self, D, Int> {
        Tensor::from_data(TensorData::new(values, shape), device)
    }

    /// Adds a bias to every row.
    fn add_to_rows(matrix: Tensor<Self, 2>, bias: Tensor<Self, 1>) -> Tensor<Self, 2> {
        matrix + bias.unsqueeze()
    }

    /// The sum of each column.
    fn column_sums(matrix: Tensor<Self, 2>) -> Tensor<Self, 1> {
        matrix.sum_dim(0).squeeze_dim(0)
    }

    /// Like [`KernelBackend::column_sums`], but writes the sums into a vector from index `at` on, `copies` times
    /// in a row. No other tensor may share the vector's memory.
    fn column_sums_into(
        matrix: Tensor<Self, 2>,
        copies: usize,
        vector: &mut Tensor<Self, 1>,
        at: usize,
    ) {
        let sums = Self::column_sums(matrix);
        let [columns] = sums.dims();
        for copy in 0..copies {
            Self::overwrite(vector, at + copy * columns, sums.clone());
        }
    }

    /// The backend's fast forward recurrence, as specified in [`recurrence`]. The options never select
    /// `reference`.
    fn recurrence_forward(input: ForwardInput<'_, Self>, options: LayerOptions) -> Unrolled<Self>;

    /// The backend's fast backward recurrence.
    fn recurrence_backward(
        input: BackwardInput<'_, Self>,
        options: LayerOptions,
    ) -> RowGradients<Self>;

    /// Masked softmax and cross-entropy of scores `[N, C]`.
    fn frame_scores(logits: Tensor<Self, 2>, targets: &FrameTargets<Self>) -> FrameScores<Self>;

    /// The gradient of `scale` times the sum of the losses with respect to the scores; zero on rows without a
    /// label.
    fn frame_gradient(
        logits: Tensor<Self, 2>,
        log_sums: Tensor<Self, 1>,
        targets: &FrameTargets<Self>,
        scale: Tensor<Self, 1>,
    ) -> Tensor<Self, 2>;

    /// The losses of scores `[N, C]`, and the gradient of `share` times their sum.
    fn frame_loss(
        logits: Tensor<Self, 2>,
        targets: &FrameTargets<Self>,
        share: f64,
        _precision: Precision,
    ) -> FrameLoss<Self> {
        FrameLoss::in_parts(logits, targets, share)
    }

    /// CTC of scores `[N, C]`: the sum of the losses, and the gradient of `scale` times the sum.
    fn sequence_scores(
        scores: Tensor<Self, 2>,
        targets: &CtcTargets,
        scale: f64,
    ) -> Result<SequenceScores<Self>, ModelError> {
        SequenceScores::on_host(scores, targets, scale)
    }

    /// Applies dropout to rows `[N, W]`. A row is dropped like the row at its place ([`crate::BatchLayout::places`]).
    fn drop_out(
        values: Tensor<Self, 2>,
        places: Option<Tensor<Self, 1, Int>>,
        dropout: Dropout,
    ) -> Tensor<Self, 2> {
        dropout::on_host(values, places, dropout)
    }

    /// Clips the gradients to a global norm of at most `most`. The sum has a fixed order.
    fn clip_global_norm(gradients: Tensor<Self, 1>, most: f64) -> Tensor<Self, 1>;

    /// Takes one optimiser step over all parameters. If `clip` is a limit, gradients are clipped to it as by
    /// [`KernelBackend::clip_global_norm`] before.
    fn update(
        rule: UpdateRule,
        clip: Option<f64>,
        parameters: Tensor<Self, 1>,
        gradients: Tensor<Self, 1>,
        moments: Moments<Self>,
    ) -> (Tensor<Self, 1>, Moments<Self>);
}
