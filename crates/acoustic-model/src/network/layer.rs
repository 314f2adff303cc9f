//! One bidirectional layer, forward and backward, without automatic differentiation.
//!
//! Forward: one GEMM projects all frames for both directions, then the recurrence runs. Backward: the
//! recurrence yields the gate gradients, and all weight, bias and input gradients are GEMMs over all frames.
//! The hidden state that a step read is the layer's output one frame earlier (or later, in the reverse
//! direction), and zero beyond an utterance's end. No other values need to be stored.

use burn_tensor::Tensor;

use super::gradients::Gradients;
use super::recurrence;
use crate::batch::BatchLayout;
use crate::kernels::KernelBackend;
use crate::kernels::gemm::{MatrixView, Operand, Product, RowGradients};
use crate::kernels::recurrence::{BackwardInput, ForwardInput, LayerOptions};
use crate::profiler;
use crate::profiler::StepPhase::{Gemm, RecurrenceBackward, RecurrenceForward};

/// The parameters of one layer, with both directions stacked, forward first.
#[derive(Debug, Clone)]
pub struct LayerWeights<B: KernelBackend> {
    /// Width of the layer's input, `I`.
    pub inputs: usize,
    /// Input weights, `[8H, I]`.
    pub weight_ih: B::Factor,
    /// Recurrent weights, `[2, 4H, H]`.
    pub weight_hh: Tensor<B, 3>,
    /// Input bias and recurrent bias, each `[8H]`. PyTorch has both biases and trains each, so we do too; otherwise a step would
    /// change their sum differently.
    pub biases: [Tensor<B, 1>; 2],
}

/// The values of the forward pass that the backward pass needs. Their size is linear in the number of rows.
#[derive(Debug, Clone)]
pub struct Tape<B: KernelBackend> {
    input: B::Factor,
    inputs: usize,
    weight_ih: B::Factor,
    weight_hh: Tensor<B, 3>,
    output: B::Factor,
    gates: Tensor<B, 2>,
    cells: Tensor<B, 2>,
    layout: BatchLayout<B>,
    options: LayerOptions,
}

/// Results of a layer's forward pass.
#[derive(Debug)]
pub struct LayerOutput<B: KernelBackend> {
    /// The hidden states, `[N, 2H]`, if requested.
    pub states: Option<Tensor<B, 2>>,
    /// The hidden states as a factor with one row per frame, for the layer above.
    pub factor: B::Factor,
    /// The values for the backward pass.
    pub tape: Tape<B>,
}

/// Runs the forward pass of a layer. Each row of its input factor is a frame.
pub fn forward<B: KernelBackend>(
    input: B::Factor,
    weights: LayerWeights<B>,
    layout: &BatchLayout<B>,
    options: LayerOptions,
    wants_states: bool,
) -> LayerOutput<B> {
    let LayerWeights {
        inputs,
        weight_ih,
        weight_hh,
        biases,
    } = weights;
    let device = weight_hh.device();
    let projections =
        profiler::timed::<B, _>(Gemm, &device, || B::project(&input, &weight_ih, options));
    let input_of_recurrence = ForwardInput {
        projections,
        biases,
        weight_hh: weight_hh.clone(),
        layout,
        may_be_factor: !wants_states,
    };
    let unrolled = profiler::timed::<B, _>(RecurrenceForward, &device, || {
        recurrence::forward(options, input_of_recurrence)
    });
    let states = match &unrolled.output {
        Operand::Matrix(states, _) if wants_states => Some(states.clone()),
        _ => None,
    };
    let factor = profiler::timed::<B, _>(Gemm, &device, || {
        unrolled.output.into_factor(options.precision)
    });
    LayerOutput {
        states,
        factor: factor.clone(),
        tape: Tape {
            input,
            inputs,
            weight_ih,
            weight_hh,
            output: factor,
            gates: unrolled.gates,
            cells: unrolled.cells,
            layout: layout.clone(),
            options,
        },
    }
}

/// Computes the gradients of the layer's parameters from the gradient of its output, and puts them into
/// `parameters`. Returns the gradient of its input, `[N, I]`, if requested. Calls `watch` when memory use
/// peaks.
pub fn backward<B: KernelBackend>(
    tape: Tape<B>,
    grad_output: Product<B>,
    wants_input: bool,
    parameters: &mut Gradients<B>,
    watch: &mut dyn FnMut(),
) -> Option<Product<B>> {
    let Tape {
        input,
        inputs,
        weight_ih,
        weight_hh,
        output,
        gates,
        cells,
        layout,
        options,
    } = tape;
    let device = gates.device();
    let input_of_recurrence = BackwardInput {
        grad_output,
        gates,
        cells,
        weight_hh,
        layout: &layout,
        may_be_factor: true,
    };
    let gradients = profiler::timed::<B, _>(RecurrenceBackward, &device, || {
        recurrence::backward(options, input_of_recurrence)
    });
    let RowGradients {
        all,
        partial_sums,
        source,
    } = gradients;
    let [_, columns] = partial_sums.dims();
    // The factor is made while these are in memory, so they are kept until memory has been measured.
    let matrix = match &all {
        Operand::Matrix(matrix, _) => Some(matrix.clone()),
        Operand::Factor(_) => None,
    };
    let factor = profiler::timed::<B, _>(Gemm, &device, || all.into_factor(options.precision));
    watch();
    drop((source, matrix));
    // The biases enter as their sum, so both have the same gradient.
    parameters.put_column_sums(partial_sums, 2);
    profiler::timed::<B, _>(Gemm, &device, || {
        put_recurrent_weights(&factor, &output, columns / 8, &layout, parameters);
        parameters.put_product(
            columns * inputs,
            MatrixView::all(&factor).transposed(),
            MatrixView::all(&input),
        );
        wants_input
            .then(|| B::multiply_and_measure(MatrixView::all(&factor), MatrixView::all(&weight_ih)))
    })
}

/// Puts `dW_hh` of both directions: gate gradients times the hidden states that the steps read.
fn put_recurrent_weights<B: KernelBackend>(
    gradients: &B::Factor,
    states: &B::Factor,
    hidden: usize,
    layout: &BatchLayout<B>,
    parameters: &mut Gradients<B>,
) {
    let (step, all) = (layout.host().step(), layout.host().rows());
    if step == all {
        // A single step reads no previous hidden state.
        return parameters.put_zeros(8 * hidden * hidden);
    }
    let of_direction = |direction: usize, at, seen| {
        let (gates, units) = (4 * hidden * direction, hidden * direction);
        [
            MatrixView::range(gradients, at, gates..gates + 4 * hidden).transposed(),
            MatrixView::range(states, seen, units..units + hidden),
        ]
    };
    parameters.put_products(
        [4 * hidden, hidden],
        [
            of_direction(0, step..all, 0..all - step),
            of_direction(1, 0..all - step, step..all),
        ],
    );
}
