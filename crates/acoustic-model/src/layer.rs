//! One bidirectional layer as one operation with a hand-written backward pass: autodiff sees a single node a layer.
//!
//! Forward: one product projects all frames for both directions, then the recurrence. Backward: the recurrence gives the
//! gradient of every gate, and all weight, bias and input gradients are products over all frames. The hidden state that
//! each step saw is the layer's own output one frame earlier (or later, for the reverse direction), zero beyond an
//! utterance's end, so nothing more needs to be kept.

use burn::prelude::*;
use padwise_model_config::{Precision, Recurrence};

use crate::parts::Part::{Products, RecurrenceBackward, RecurrenceForward};
use crate::products::{Bound, Part};
use crate::recurrence;
use crate::{KernelBackend, Lengths, parts};

/// The parameters of one layer, both directions stacked: forward first.
#[derive(Debug, Clone)]
pub struct LayerWeights<B: Backend> {
    /// Input weights, `[8H, I]`.
    pub weight_ih: Tensor<B, 2>,
    /// Recurrent weights, `[2, 4H, H]`.
    pub weight_hh: Tensor<B, 3>,
    /// Input bias, `[8H]`.
    pub bias_ih: Tensor<B, 1>,
    /// Recurrent bias, `[8H]`. PyTorch has both; each is learned, so that a step moves their sum as it does there.
    pub bias_hh: Tensor<B, 1>,
}

/// How a layer is computed, which does not change what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LayerOptions {
    /// Which recurrence.
    pub recurrence: Recurrence,
    /// Which arithmetic in the large products.
    pub precision: Precision,
}

impl From<Recurrence> for LayerOptions {
    fn from(recurrence: Recurrence) -> Self {
        Self {
            recurrence,
            ..Self::default()
        }
    }
}

/// What the backward pass needs of the forward pass: linear in `T·B`.
#[derive(Debug, Clone)]
pub(crate) struct Tape<B: KernelBackend> {
    input: B::Factor,
    weight_ih: B::Factor,
    weight_hh: Tensor<B, 3>,
    output: B::Factor,
    gates: Tensor<B, 3>,
    cells: Tensor<B, 3>,
    lengths: Lengths<B>,
    options: LayerOptions,
}

/// Gradients of one layer, in the order of its parents; the input's only where someone asked for it.
pub(crate) struct LayerGradients<B: Backend> {
    pub input: Option<Tensor<B, 3>>,
    pub weight_ih: Tensor<B, 2>,
    pub weight_hh: Tensor<B, 3>,
    pub bias: Tensor<B, 1>,
}

/// All frames of `[T, B, D]` as the rows of a matrix.
pub(crate) fn rows<B: Backend>(tensor: Tensor<B, 3>) -> Tensor<B, 2> {
    let [frames, batch, width] = tensor.dims();
    tensor.reshape([frames * batch, width])
}

/// What a layer hands on.
pub(crate) struct LayerOutput<B: KernelBackend> {
    /// `[T, B, 2H]`.
    pub states: Tensor<B, 3>,
    /// The same as rows of a factor, which the layer above may take as it is.
    pub factor: B::Factor,
    pub tape: Tape<B>,
}

/// Runs a layer. Its input is a factor whose rows are the frames of `lengths`.
pub(crate) fn forward<B: KernelBackend>(
    input: B::Factor,
    weights: LayerWeights<B>,
    lengths: &Lengths<B>,
    options: LayerOptions,
) -> LayerOutput<B> {
    let columns = weights.bias_ih.dims()[0];
    let bias = weights.bias_ih + weights.bias_hh;
    let device = bias.device();
    let (weight_ih, projections) = parts::timed::<B, _>(Products, &device, || {
        let weight_ih = B::factor(weights.weight_ih, Bound::Unknown, options.precision);
        let projections = B::product(Part::all(&input), Part::all(&weight_ih).transposed());
        (weight_ih, projections)
    });
    let projections = projections.reshape([lengths.frames(), lengths.batch(), columns]);
    let weight_hh = weights.weight_hh.clone();
    let unrolled = parts::timed::<B, _>(RecurrenceForward, &device, || {
        recurrence::forward(options, projections, bias, weight_hh, lengths)
    });
    let factor = parts::timed::<B, _>(Products, &device, || {
        states_factor(unrolled.output.clone(), options)
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

/// Hidden states as a factor: each is a product of two numbers that are at most 1.
fn states_factor<B: KernelBackend>(states: Tensor<B, 3>, options: LayerOptions) -> B::Factor {
    B::factor(rows(states), Bound::Within(1.0), options.precision)
}

/// All gradients of the layer, given that of its output. `watch` is called where the most memory is in use.
pub(crate) fn backward<B: KernelBackend>(
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
    let weights = weight_hh.clone();
    let (gradients, bound) = parts::timed::<B, _>(RecurrenceBackward, &device, || {
        recurrence::backward(options, grad_output, gates, cells, weights, &lengths)
    });
    let [frames, batch, _] = gradients.dims();
    let gradients = rows(gradients);
    let bias = B::column_sums(gradients.clone());
    parts::timed::<B, _>(Products, &device, || {
        let matrix = gradients;
        let gradients = B::factor(matrix.clone(), bound, options.precision);
        watch();
        drop(matrix);
        LayerGradients {
            weight_ih: B::product(Part::all(&gradients).transposed(), Part::all(&input)),
            weight_hh: recurrent_weight_gradient::<B>(&gradients, &output, &weight_hh, &lengths),
            bias,
            input: wants_input.then(|| {
                let input = B::product(Part::all(&gradients), Part::all(&weight_ih));
                let [_, width] = input.dims();
                input.reshape([frames, batch, width])
            }),
        }
    })
}

/// `dW_hh` of both directions: each step's gate gradients against the hidden state that the step saw.
fn recurrent_weight_gradient<B: KernelBackend>(
    gradients: &B::Factor,
    states: &B::Factor,
    weight_hh: &Tensor<B, 3>,
    lengths: &Lengths<B>,
) -> Tensor<B, 3> {
    let [_, _, hidden] = weight_hh.dims();
    let (batch, all) = (lengths.batch(), lengths.frames() * lengths.batch());
    if batch == all {
        // No step of a single one saw any hidden state.
        return weight_hh.zeros_like();
    }
    let halves = [(batch..all, 0..all - batch), (0..all - batch, batch..all)];
    let products = halves
        .into_iter()
        .enumerate()
        .map(|(direction, (at, seen))| {
            let (gates, units) = (4 * hidden * direction, hidden * direction);
            B::product(
                Part::range(gradients, at, gates..gates + 4 * hidden).transposed(),
                Part::range(states, seen, units..units + hidden),
            )
        });
    Tensor::stack(products.collect(), 0)
}
