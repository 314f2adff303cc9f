//! The forward pass: one launch per time step for both directions.
//!
//! At step `s` the forward direction is at frame `s` and the reverse direction at frame `T-1-s`. The hidden
//! state is passed between steps through double buffers: one is read as vectors, the other is written value
//! by value. A row writes zeros after its utterance has ended or, in the reverse direction, before it has
//! started. A cube with only such rows reads no weights.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; each checks its own indices.

use burn_cubecl::{CubeRuntime, tensor::CubeTensor};
use burn_tensor::DType;
use cubecl::prelude::*;

use crate::buffers::{array, empty_like, zeros_like};
use crate::launches;

use super::{
    DeviceRows,
    product::{FactorType, Four, fold, folded_sum, partial_sums},
    setup::prepare,
    steps::{Arguments, Buffers, Scalars, StepLauncher, Steps, settings, unaliased},
    tiling::{Pass, Tiling},
    time::{has_predecessor, has_row, neighbour, row_of},
};

/// Results of the forward pass: the layer's output, and the values that the backward pass needs.
#[derive(Clone, Debug)]
pub struct Activations<R: CubeRuntime> {
    /// Hidden states `[N, 2H]`, forward half first; zero at padding.
    pub output: CubeTensor<R>,
    /// Activated gates `[N, 8H]`; zero at padding.
    pub gates: CubeTensor<R>,
    /// Cell states `[N, 2H]`; zero at padding.
    pub cells: CubeTensor<R>,
}

/// The logistic function, without an exponential that could overflow.
#[cube]
fn sigmoid(x: f32) -> f32 {
    let decay = f32::exp(-f32::abs(x));
    let upper = 1.0f32 / (1.0f32 + decay);
    select(x >= 0.0f32, upper, decay * upper)
}

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
fn forward_step<W: Float>(
    bias: &Array<f32>,
    weights: &Array<Vector<W, Four>>,
    schedule: &Array<u32>,
    state: &Array<Vector<W, Four>>,
    next_state: &mut Array<W>,
    gates: &mut Array<f32>,
    output: &mut Array<f32>,
    cells: &mut Array<f32>,
    step: u32,
    frames: u32,
    batch: usize,
    row_step: usize,
    #[comptime] tiling: Tiling,
) {
    let hidden = comptime!(tiling.hidden);
    let columns = comptime!(tiling.columns);
    let column_tile = CUBE_POS_X as usize;
    let direction = CUBE_POS_Y as usize;
    let row_tile = CUBE_POS_Z as usize;
    let first_row = row_tile * comptime!(tiling.rows());
    let frame = select(direction == 0, step, frames - 1 - step);

    // The other inputs of the gates are loaded first, so they arrive during the multiplication. The index is
    // always valid; the values are used only at frames of an utterance.
    let turns = comptime!(tiling.sums().div_ceil(tiling.cube_units()));
    let mut inputs = Array::<Vector<f32, Four>>::new(turns);
    let mut biases = Array::<Vector<f32, Four>>::new(turns);
    let mut previous = Array::<f32>::new(turns);
    let mut lengths = Array::<u32>::new(turns);
    #[unroll]
    for turn in 0..turns {
        let item = UNIT_POS as usize + turn * comptime!(tiling.cube_units());
        let utterance = min(first_row + item / columns, batch - 1);
        let unit = min(
            column_tile * columns + item % columns,
            comptime!(hidden - 1),
        );
        let at_bias = direction * comptime!(4 * hidden) + unit;
        let at_gate =
            row_of(schedule, utterance, frame, batch, row_step) * comptime!(8 * hidden) + at_bias;
        let mut from_input = Vector::<f32, Four>::empty();
        let mut from_bias = Vector::<f32, Four>::empty();
        #[unroll]
        for gate in 0..4usize {
            from_input[gate] = gates[at_gate + comptime!(gate * hidden)];
            from_bias[gate] = bias[at_bias + comptime!(gate * hidden)];
        }
        inputs[turn] = from_input;
        biases[turn] = from_bias;
        let before = neighbour(frame, frames, direction == 0);
        let before = row_of(schedule, utterance, before, batch, row_step);
        previous[turn] = cells[before * comptime!(2 * hidden) + direction * hidden + unit];
        lengths[turn] = schedule[utterance];
    }

    let mut partial = SharedMemory::<Vector<f32, Four>>::new(comptime!(
        tiling.cube_units() * tiling.rows_per_unit
    ));
    if frame < schedule[batch + row_tile] {
        partial_sums::<W>(
            state,
            weights,
            &mut partial,
            direction,
            column_tile,
            first_row,
            batch,
            tiling,
        );
        fold(&mut partial, tiling);
    }

    #[unroll]
    for turn in 0..turns {
        let item = UNIT_POS as usize + turn * comptime!(tiling.cube_units());
        let row = item / columns;
        let column = item % columns;
        let utterance = first_row + row;
        let unit = column_tile * columns + column;
        if item < comptime!(tiling.sums()) && utterance < batch && unit < hidden {
            let mut input = 0.0f32;
            let mut forget = 0.0f32;
            let mut candidate = 0.0f32;
            let mut out = 0.0f32;
            let mut cell = 0.0f32;
            let mut value = 0.0f32;
            if frame < lengths[turn] {
                let sum = inputs[turn] + biases[turn] + folded_sum(&partial, row, column, tiling);
                input = sigmoid(sum[0]);
                forget = sigmoid(sum[1]);
                candidate = f32::tanh(sum[2]);
                out = sigmoid(sum[3]);
                let begun = has_predecessor(frame, lengths[turn], direction == 0);
                cell = forget * select(begun, previous[turn], 0.0f32) + input * candidate;
                value = out * f32::tanh(cell);
            }
            if has_row(schedule, utterance, frame, batch) {
                let position = row_of(schedule, utterance, frame, batch, row_step);
                let at_gate =
                    position * comptime!(8 * hidden) + direction * comptime!(4 * hidden) + unit;
                let at_unit = position * comptime!(2 * hidden) + direction * hidden + unit;
                gates[at_gate] = input;
                gates[at_gate + hidden] = forget;
                gates[at_gate + comptime!(2 * hidden)] = candidate;
                gates[at_gate + comptime!(3 * hidden)] = out;
                cells[at_unit] = cell;
                output[at_unit] = value;
            }
            let at_state =
                (direction * batch + utterance) * comptime!(4 * tiling.state_vectors()) + unit;
            next_state[at_state] = W::cast_from(value);
        }
    }
}

/// Runs all steps with a given tiling. `W` is the type in which state and weights are multiplied.
///
/// All tensors are contiguous, and `gates` (the projections) may be overwritten.
pub(super) fn run<R: CubeRuntime, W: FactorType>(
    gates: CubeTensor<R>,
    bias: &CubeTensor<R>,
    weight_hh: &CubeTensor<R>,
    layout: &DeviceRows<'_, R>,
    tiling: Tiling,
    launcher: &impl StepLauncher<R>,
) -> Activations<R> {
    let (frames, batch) = (layout.rows.frames(), layout.rows.batch());
    let prepared = prepare::<R, W>(weight_hh, layout, Pass::Forward, tiling);
    let states = [layout.rows.rows(), 2 * tiling.hidden];
    let [output, cells] = [(); 2].map(|()| {
        // The steps write every row of a padded batch, but not all zeros of a packed one.
        if layout.rows.is_packed() {
            zeros_like(&gates, states, DType::F32)
        } else {
            empty_like(&gates, states, DType::F32)
        }
    });

    let cube_dim = CubeDim::new_1d(tiling.cube_units() as u32);
    let cubes = tiling.cubes(batch);
    let scalars = Scalars::new(layout.rows);
    let kernel = forward_step::ForwardStep::<W, R>::new(
        settings(cube_dim),
        gates.client.clone(),
        unaliased(),
        unaliased(),
        unaliased(),
        unaliased(),
        unaliased(),
        unaliased(),
        unaliased(),
        unaliased(),
        (),
        (),
        (),
        (),
        tiling,
    );
    let buffers = [
        bias,
        &prepared.weights,
        &prepared.schedule,
        &prepared.state,
        &prepared.next_state,
        &gates,
        &output,
        &cells,
    ];
    let client = &gates.client;
    let launch = |step, buffers: Buffers<'_, R>| {
        let [
            bias,
            weights,
            schedule,
            state,
            next_state,
            gates,
            output,
            cells,
        ] = buffers.map(array);
        let [x, y, z] = cubes;
        // SAFETY: the caller checked all shapes, with at least one frame, row and hidden unit. Utterances and
        // units are limited to the shapes before a read, and compared with them before a write. Frames are limited to
        // the rows of their utterance, which the preparation limited to the rows that exist. Packed weights and states
        // were made for this tiling. A step reads one state buffer and writes the other.
        unsafe {
            forward_step::launch_unchecked::<W, R>(
                client,
                CubeCount::Static(x, y, z),
                cube_dim,
                bias,
                weights,
                schedule,
                state,
                next_state,
                gates,
                output,
                cells,
                step,
                scalars.frames,
                batch,
                layout.rows.step(),
                tiling,
            );
        }
    };
    launches::add(frames as u64);
    launcher.launch(Steps {
        kernel,
        cubes,
        arguments: Arguments {
            buffers,
            states: [3, 4],
            scalars,
        },
        launch,
    });
    Activations {
        output,
        gates,
        cells,
    }
}
