//! One bidirectional layer, forward and backward, without automatic differentiation.
//!
//! Forward: one GEMM projects all frames for both directions, then the recurrence runs. Backward: the
//! recurrence yields the gate gradients, and all weight, bias and input gradients are GEMMs over all frames.
//! The hidden state that a step read is the layer's output one frame earlier (or later, in the reverse
//! direction), and zero beyond an utterance's end. No other values need to be stored.

use burn_tensor::Tensor;
use burn_tensor::backend::Backend;

use super::recurrence;
use crate::batch::Lengths;
use crate::kernels::KernelBackend;
use crate::kernels::gemm::{Bound, MatrixView};
use crate::kernels::recurrence::{BackwardInput, ForwardInput, LayerOptions};
use crate::profiler;
use crate::profiler::StepPhase::{Gemm, RecurrenceBackward, RecurrenceForward};

/// The parameters of one layer, with both directions stacked, forward first.
#[derive(Debug, Clone)]
pub struct LayerWeights<B: Backend> {
    /// Input weights, `[8H, I]`.
    pub weight_ih: Tensor<B, 2>,
    /// Recurrent weights, `[2, 4H, H]`.
    pub weight_hh: Tensor<B, 3>,
    /// Input bias, `[8H]`.
    pub bias_ih: Tensor<B, 1>,
    /// Recurrent bias, `[8H]`. PyTorch has both biases and trains each, so we do too; otherwise a step would
    /// change their sum differently.
    pub bias_hh: Tensor<B, 1>,
}

/// The values of the forward pass that the backward pass needs. Their size is linear in `T·B`.
#[derive(Debug, Clone)]
pub struct Tape<B: KernelBackend> {
    input: B::Factor,
    weight_ih: B::Factor,
    weight_hh: Tensor<B, 3>,
    output: B::Factor,
    gates: Tensor<B, 3>,
    cells: Tensor<B, 3>,
    lengths: Lengths<B>,
    options: LayerOptions,
}

/// Gradients of one layer.
#[derive(Debug, Clone)]
pub struct LayerGradients<B: Backend> {
    /// Of the input, `[T, B, I]`, if requested.
    pub input: Option<Tensor<B, 3>>,
    /// Of the input weights, `[8H, I]`.
    pub weight_ih: Tensor<B, 2>,
    /// Of the recurrent weights, `[2, 4H, H]`.
    pub weight_hh: Tensor<B, 3>,
    /// Of each bias, `[8H]`.
    pub bias: Tensor<B, 1>,
}

/// All frames of `[T, B, D]` as the rows of a matrix.
pub fn rows<B: Backend>(tensor: Tensor<B, 3>) -> Tensor<B, 2> {
    let [frames, batch, width] = tensor.dims();
    tensor.reshape([frames * batch, width])
}

/// Results of a layer's forward pass.
#[derive(Debug)]
pub struct LayerOutput<B: KernelBackend> {
    /// The hidden states, `[T, B, 2H]`.
    pub states: Tensor<B, 3>,
    /// The hidden states as a factor with one row per frame, for the layer above.
    pub factor: B::Factor,
    /// The values for the backward pass.
    pub tape: Tape<B>,
}

/// Runs the forward pass of a layer. Each row of its input factor is a frame.
pub fn forward<B: KernelBackend>(
    input: B::Factor,
    weights: LayerWeights<B>,
    lengths: &Lengths<B>,
    options: LayerOptions,
) -> LayerOutput<B> {
    let columns = weights.bias_ih.dims()[0];
    let bias = weights.bias_ih + weights.bias_hh;
    let device = bias.device();
    let (weight_ih, projections) = profiler::timed::<B, _>(Gemm, &device, || {
        let weight_ih = B::factor(weights.weight_ih, Bound::Unknown, options.precision);
        let projections = B::multiply(
            MatrixView::all(&input),
            MatrixView::all(&weight_ih).transposed(),
        );
        (weight_ih, projections)
    });
    let projections = projections.reshape([lengths.frames(), lengths.batch(), columns]);
    let input_of_recurrence = ForwardInput {
        projections,
        bias,
        weight_hh: weights.weight_hh.clone(),
        lengths,
    };
    let unrolled = profiler::timed::<B, _>(RecurrenceForward, &device, || {
        recurrence::forward(options, input_of_recurrence)
    });
    let factor = profiler::timed::<B, _>(Gemm, &device, || {
        // Hidden states are products of two numbers of magnitude at most 1.
        let states = rows(unrolled.output.clone());
        B::factor(states, Bound::Within(1.0), options.precision)
    });
    LayerOutput {
        states: unrolled.output,
        factor: factor.clone(),
        tape: Tape {
            input,
            weight_ih,
            weight_hh: weights.weight_hh,
            output: factor,
            gates: unrolled.gates,
            cells: unrolled.cells,
            lengths: lengths.clone(),
            options,
        },
    }
}

/// Computes all gradients of the layer from the gradient of its output. Calls `watch` when memory use peaks.
pub fn backward<B: KernelBackend>(
    tape: Tape<B>,
    grad_output: Tensor<B, 3>,
    wants_input: bool,
    watch: &mut dyn FnMut(),
) -> LayerGradients<B> {
    let Tape {
        input,
        weight_ih,
        weight_hh,
        output,
        gates,
        cells,
        lengths,
        options,
    } = tape;
    let device = gates.device();
    let input_of_recurrence = BackwardInput {
        grad_output,
        gates,
        cells,
        weight_hh: weight_hh.clone(),
        lengths: &lengths,
    };
    let (gradients, bound) = profiler::timed::<B, _>(RecurrenceBackward, &device, || {
        recurrence::backward(options, input_of_recurrence)
    });
    let [frames, batch, _] = gradients.dims();
    let gradients = rows(gradients);
    let bias = B::column_sums(gradients.clone());
    profiler::timed::<B, _>(Gemm, &device, || {
        let matrix = gradients;
        let gradients = B::factor(matrix.clone(), bound, options.precision);
        watch();
        drop(matrix);
        LayerGradients {
            weight_ih: B::multiply(
                MatrixView::all(&gradients).transposed(),
                MatrixView::all(&input),
            ),
            weight_hh: recurrent_weight_gradient::<B>(&gradients, &output, &weight_hh, &lengths),
            bias,
            input: wants_input.then(|| {
                let input = B::multiply(MatrixView::all(&gradients), MatrixView::all(&weight_ih));
                let [_, width] = input.dims();
                input.reshape([frames, batch, width])
            }),
        }
    })
}

/// `dW_hh` of both directions: gate gradients times the hidden states that the steps read.
fn recurrent_weight_gradient<B: KernelBackend>(
    gradients: &B::Factor,
    states: &B::Factor,
    weight_hh: &Tensor<B, 3>,
    lengths: &Lengths<B>,
) -> Tensor<B, 3> {
    let [_, _, hidden] = weight_hh.dims();
    let (batch, all) = (lengths.batch(), lengths.frames() * lengths.batch());
    if batch == all {
        // A single step reads no previous hidden state.
        return weight_hh.zeros_like();
    }
    let halves = [(batch..all, 0..all - batch), (0..all - batch, batch..all)];
    let gradients_of_halves = halves
        .into_iter()
        .enumerate()
        .map(|(direction, (at, seen))| {
            let (gates, units) = (4 * hidden * direction, hidden * direction);
            B::multiply(
                MatrixView::range(gradients, at, gates..gates + 4 * hidden).transposed(),
                MatrixView::range(states, seen, units..units + hidden),
            )
        });
    Tensor::stack(gradients_of_halves.collect(), 0)
}
