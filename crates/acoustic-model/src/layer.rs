//! One bidirectional layer as one operation with a hand-written backward pass: autodiff sees a single node a layer.
//!
//! Forward: one product projects all frames for both directions, then the recurrence. Backward: the recurrence gives the
//! gradient of every gate, and all weight, bias and input gradients are products over all frames. The hidden state that
//! each step saw is the layer's own output one frame earlier (or later, for the reverse direction), zero beyond an
//! utterance's end, so nothing more needs to be kept.

use burn::prelude::*;

use crate::recurrence::{self, Recurrence};
use crate::{KernelBackend, Lengths, Precision};

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
pub(crate) struct Tape<B: Backend> {
    input: Tensor<B, 3>,
    weight_ih: Tensor<B, 2>,
    weight_hh: Tensor<B, 3>,
    output: Tensor<B, 3>,
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

/// The layer's output and its tape.
pub(crate) fn forward<B: KernelBackend>(
    input: Tensor<B, 3>,
    weights: LayerWeights<B>,
    lengths: &Lengths<B>,
    options: LayerOptions,
) -> (Tensor<B, 3>, Tape<B>) {
    let [frames, batch, _] = input.dims();
    let columns = weights.bias_ih.dims()[0];
    let bias = weights.bias_ih + weights.bias_hh;
    let projections = B::product(
        rows(input.clone()),
        weights.weight_ih.clone().transpose(),
        options.precision,
    )
    .reshape([frames, batch, columns]);
    let unrolled = recurrence::forward(
        options,
        projections,
        bias,
        weights.weight_hh.clone(),
        lengths,
    );
    let tape = Tape {
        input,
        weight_ih: weights.weight_ih,
        weight_hh: weights.weight_hh,
        output: unrolled.output.clone(),
        gates: unrolled.gates,
        cells: unrolled.cells,
        lengths: lengths.clone(),
        options,
    };
    (unrolled.output, tape)
}

/// All gradients of the layer, given that of its output.
pub(crate) fn backward<B: KernelBackend>(
    tape: Tape<B>,
    grad_output: Tensor<B, 3>,
    wants_input: bool,
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
    let gradients = recurrence::backward(
        options,
        grad_output,
        gates,
        cells,
        weight_hh.clone(),
        &lengths,
    );
    let recurrent = recurrent_weight_gradient(&gradients, &output, &weight_hh, options.precision);
    let shape = input.dims();
    let gradients = rows(gradients);
    LayerGradients {
        weight_ih: B::product(
            gradients.clone().transpose(),
            rows(input),
            options.precision,
        ),
        weight_hh: recurrent,
        bias: B::column_sums(gradients.clone()),
        input: wants_input
            .then(|| B::product(gradients, weight_ih, options.precision).reshape(shape)),
    }
}

/// `dW_hh` of both directions: each step's gate gradients against the hidden state that the step saw.
fn recurrent_weight_gradient<B: KernelBackend>(
    gradients: &Tensor<B, 3>,
    output: &Tensor<B, 3>,
    weight_hh: &Tensor<B, 3>,
    precision: Precision,
) -> Tensor<B, 3> {
    let [frames, batch, columns] = gradients.dims();
    let hidden = columns / 8;
    if frames == 1 {
        // No step saw any hidden state.
        return weight_hh.zeros_like();
    }
    let halves = [(1..frames, 0..frames - 1), (0..frames - 1, 1..frames)];
    let products = halves
        .into_iter()
        .enumerate()
        .map(|(direction, (at, seen))| {
            let (gates, states) = (4 * hidden * direction, hidden * direction);
            let gradients = gradients
                .clone()
                .slice([at, 0..batch, gates..gates + 4 * hidden]);
            let states = output
                .clone()
                .slice([seen, 0..batch, states..states + hidden]);
            B::product(rows(gradients).transpose(), rows(states), precision)
        });
    Tensor::stack(products.collect(), 0)
}
