//! The recurrence in burn's operations, one time step after another.
//!
//! It is slow and simple, and runs on any backend and in any float type. Tests compare the other
//! implementations with it, and compare it with PyTorch and with finite differences.
//!
//! Steps are collected and concatenated at the end, never assigned into a slice, so memory and time are
//! linear in `T`.

use burn_tensor::activation::sigmoid;
use burn_tensor::backend::Backend;
use burn_tensor::{Bool, Int, Tensor};

use crate::kernels::KernelBackend;
use crate::kernels::gemm::{Bound, Operand};
use crate::kernels::recurrence::{BackwardInput, ForwardInput, Unrolled};

/// One direction of the layer: its columns and its order of frames.
#[derive(Clone, Copy)]
struct Direction {
    index: usize,
    hidden: usize,
    frames: usize,
}

impl Direction {
    fn both(hidden: usize, frames: usize) -> [Self; 2] {
        [0, 1].map(|index| Self {
            index,
            hidden,
            frames,
        })
    }

    /// The frames in the order of this direction.
    fn times(self) -> Vec<usize> {
        let forward = 0..self.frames;
        if self.index == 0 {
            forward.collect()
        } else {
            forward.rev().collect()
        }
    }

    /// This direction's part of frame `t`: `[B, blocks·H]` of a tensor with `blocks·H` columns per direction.
    fn frame<B: Backend>(self, tensor: &Tensor<B, 3>, t: usize, blocks: usize) -> Tensor<B, 2> {
        let [_, batch, _] = tensor.dims();
        let width = blocks * self.hidden;
        let columns = self.index * width..(self.index + 1) * width;
        tensor
            .clone()
            .slice([t..t + 1, 0..batch, columns])
            .reshape([batch, width])
    }

    /// This direction's recurrent weights, `[4H, H]`.
    fn weights<B: Backend>(self, weight_hh: &Tensor<B, 3>) -> Tensor<B, 2> {
        let gates = 4 * self.hidden;
        weight_hh
            .clone()
            .slice([self.index..self.index + 1, 0..gates, 0..self.hidden])
            .reshape([gates, self.hidden])
    }
}

/// The four gates `i, f, g, o` of `[B, 4H]`.
fn gates_of<B: Backend>(gates: &Tensor<B, 2>, hidden: usize) -> [Tensor<B, 2>; 4] {
    let batch = gates.dims()[0];
    [0, 1, 2, 3].map(|gate| {
        gates
            .clone()
            .slice([0..batch, gate * hidden..(gate + 1) * hidden])
    })
}

/// Concatenates the steps of both directions, each in the order of time, into `[T, B, columns]`.
fn join<B: Backend>(directions: [Vec<Tensor<B, 2>>; 2]) -> Tensor<B, 3> {
    let [forward, mut reverse] = directions;
    reverse.reverse();
    let [forward, reverse] = [forward, reverse].map(|steps| Tensor::stack::<3>(steps, 0));
    Tensor::cat(vec![forward, reverse], 2)
}

/// True at `[b, j]` if frame `t` of an utterance of these lengths is padding.
fn padded<B: Backend>(lengths: &Tensor<B, 1, Int>, t: usize, width: usize) -> Tensor<B, 2, Bool> {
    let [batch] = lengths.dims();
    lengths
        .clone()
        .lower_equal_elem(t as i64)
        .reshape([batch, 1])
        .expand([batch, width])
}

/// Runs the forward pass over all frames, as specified in [`crate::kernels::recurrence`].
pub fn forward<B: KernelBackend>(input: ForwardInput<'_, B>) -> Unrolled<B> {
    let bias = input.bias();
    let ForwardInput {
        projections,
        weight_hh,
        layout,
        ..
    } = input;
    let lengths = layout.lengths();
    let projections = layout.to_time_major(projections);
    let [frames, batch, columns] = projections.dims();
    let hidden = columns / 8;
    let projections = projections + bias.reshape([1, 1, columns]);
    let options = (projections.device(), projections.dtype());
    // Outputs, gates and cells of both directions.
    let mut steps: [[Vec<Tensor<B, 2>>; 2]; 3] = Default::default();
    for direction in Direction::both(hidden, frames) {
        let recurrent = direction.weights(&weight_hh).transpose();
        let mut h = Tensor::<B, 2>::zeros([batch, hidden], (&options.0, options.1));
        let mut c = h.clone();
        for t in direction.times() {
            let sums = direction.frame(&projections, t, 4) + h.matmul(recurrent.clone());
            let sums = sums.mask_fill(padded(&lengths, t, 4 * hidden), 0.0);
            let [i, f, g, o] = gates_of(&sums, hidden);
            let (i, f, g, o) = (sigmoid(i), sigmoid(f), g.tanh(), sigmoid(o));
            let ended = padded(&lengths, t, hidden);
            c = (f.clone() * c + i.clone() * g.clone()).mask_fill(ended.clone(), 0.0);
            h = (o.clone() * c.clone().tanh()).mask_fill(ended, 0.0);
            let gates = Tensor::cat(vec![i, f, g, o], 1);
            for (kept, value) in steps.iter_mut().zip([h.clone(), gates, c.clone()]) {
                kept[direction.index].push(value);
            }
        }
    }
    let [output, gates, cells] = steps.map(|steps| layout.from_time_major(join(steps)));
    Unrolled {
        output: Operand::Matrix(output, Bound::Within(1.0)),
        gates,
        cells,
    }
}

/// Runs the backward pass over all frames, as specified in [`crate::kernels::recurrence`].
pub fn backward<B: Backend>(input: BackwardInput<'_, B>) -> Tensor<B, 2> {
    let BackwardInput {
        grad_output,
        gates,
        cells,
        weight_hh,
        layout,
        ..
    } = input;
    let lengths = layout.lengths();
    let [grad_output, gates, cells] =
        [grad_output.values, gates, cells].map(|rows| layout.to_time_major(rows));
    let [frames, batch, columns] = gates.dims();
    let hidden = columns / 8;
    let options = (gates.device(), gates.dtype());
    let zeros = |width| Tensor::<B, 2>::zeros([batch, width], (&options.0, options.1));
    let mut gradients: [Vec<Tensor<B, 2>>; 2] = Default::default();
    for direction in Direction::both(hidden, frames) {
        let recurrent = direction.weights(&weight_hh);
        // The gradients passed back by the next step, in the direction's order.
        let mut carried_gates = zeros(4 * hidden);
        let mut carried_cell = zeros(hidden);
        let times = direction.times();
        let mut steps = Vec::with_capacity(frames);
        for (position, &t) in times.iter().enumerate().rev() {
            let ended = padded(&lengths, t, hidden);
            let [i, f, g, o] = gates_of(&direction.frame(&gates, t, 4), hidden);
            let before = match position.checked_sub(1) {
                Some(before) => direction.frame(&cells, times[before], 1),
                None => zeros(hidden),
            };
            let squashed = direction.frame(&cells, t, 1).tanh();
            let dh = direction.frame(&grad_output, t, 1) + carried_gates.matmul(recurrent.clone());
            let dh = dh.mask_fill(ended.clone(), 0.0);
            let dc = dh.clone() * o.clone() * one_minus_square(squashed.clone()) + carried_cell;
            let dc = dc.mask_fill(ended, 0.0);
            let di = dc.clone() * g.clone() * slope(i.clone());
            let df = dc.clone() * before * slope(f.clone());
            let dg = dc.clone() * i * one_minus_square(g);
            let do_ = dh * squashed * slope(o);
            carried_cell = dc * f;
            carried_gates = Tensor::cat(vec![di, df, dg, do_], 1);
            steps.push(carried_gates.clone());
        }
        steps.reverse();
        gradients[direction.index] = steps;
    }
    layout.from_time_major(join(gradients))
}

/// The derivative of the logistic function, from its value.
fn slope<B: Backend>(value: Tensor<B, 2>) -> Tensor<B, 2> {
    value.clone() * (value.neg() + 1.0)
}

/// The derivative of tanh, from its value.
fn one_minus_square<B: Backend>(value: Tensor<B, 2>) -> Tensor<B, 2> {
    (value.clone() * value).neg() + 1.0
}
