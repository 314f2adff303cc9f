//! The backward pass: one launch per time step for both directions, each in reverse order of its forward
//! pass.
//!
//! A unit's gate gradients depend on the gate gradients of all units at the previously processed step, times
//! the transposed weights. They are passed from step to step through double buffers, like the hidden state in
//! the forward pass, with four gates per vector. Gate gradients overwrite the gates in place, so the forget
//! gate would be gone one step later. The carried cell gradient is therefore already multiplied by it.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; each checks its own indices.

use burn_cubecl::{CubeRuntime, tensor::CubeTensor};
use cubecl::prelude::*;

use crate::buffers::array;
use crate::launches;

use super::{
    DeviceRows,
    product::{FactorType, Four, fold, folded_sum, partial_sums},
    setup::prepare,
    steps::{Arguments, Buffers, Scalars, StepLauncher, Steps, settings, unaliased},
    tiling::{Pass, Tiling},
    time::{has_predecessor, has_row, neighbour, row_of},
};

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
fn backward_step<W: Float>(
    grad_output: &Array<f32>,
    cells: &Array<f32>,
    weights: &Array<Vector<W, Four>>,
    schedule: &Array<u32>,
    state: &Array<Vector<W, Four>>,
    next_state: &mut Array<W>,
    gates: &mut Array<f32>,
    carry: &mut Array<f32>,
    step: u32,
    frames: u32,
    batch: usize,
    row_step: usize,
    #[comptime] tiling: Tiling,
) {
    let hidden = comptime!(tiling.hidden);
    let units = comptime!(4 * tiling.columns);
    let column_tile = CUBE_POS_X as usize;
    let direction = CUBE_POS_Y as usize;
    let row_tile = CUBE_POS_Z as usize;
    let first_row = row_tile * comptime!(tiling.rows());
    let frame = select(direction == 0, frames - 1 - step, step);

    // As in the forward pass: load early, from an index that is always valid.
    let turns = comptime!((4 * tiling.sums()).div_ceil(tiling.cube_units()));
    let mut activated = Array::<Vector<f32, Four>>::new(turns);
    let mut output_gradients = Array::<f32>::new(turns);
    let mut current = Array::<f32>::new(turns);
    let mut previous = Array::<f32>::new(turns);
    let mut carried = Array::<f32>::new(turns);
    let mut lengths = Array::<u32>::new(turns);
    #[unroll]
    for turn in 0..turns {
        let item = UNIT_POS as usize + turn * comptime!(tiling.cube_units());
        let utterance = min(first_row + item / units, batch - 1);
        let unit = min(column_tile * units + item % units, comptime!(hidden - 1));
        let position = row_of(schedule, utterance, frame, batch, row_step);
        let at_gate = position * comptime!(8 * hidden) + direction * comptime!(4 * hidden) + unit;
        let in_row = direction * hidden + unit;
        let mut values = Vector::<f32, Four>::empty();
        #[unroll]
        for gate in 0..4usize {
            values[gate] = gates[at_gate + comptime!(gate * hidden)];
        }
        activated[turn] = values;
        output_gradients[turn] = grad_output[position * comptime!(2 * hidden) + in_row];
        current[turn] = cells[position * comptime!(2 * hidden) + in_row];
        let before = neighbour(frame, frames, direction == 0);
        let before = row_of(schedule, utterance, before, batch, row_step);
        previous[turn] = cells[before * comptime!(2 * hidden) + in_row];
        carried[turn] = carry[utterance * comptime!(2 * hidden) + in_row];
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
        let row = item / units;
        let unit_in_tile = item % units;
        let utterance = first_row + row;
        let unit = column_tile * units + unit_in_tile;
        if item < comptime!(4 * tiling.sums()) && utterance < batch && unit < hidden {
            let mut d_input = 0.0f32;
            let mut d_forget = 0.0f32;
            let mut d_candidate = 0.0f32;
            let mut d_out = 0.0f32;
            if frame < lengths[turn] {
                let (input, forget) = (activated[turn][0], activated[turn][1]);
                let (candidate, out) = (activated[turn][2], activated[turn][3]);
                let squashed = f32::tanh(current[turn]);
                let begun = has_predecessor(frame, lengths[turn], direction == 0);
                let sums = folded_sum(&partial, row, unit_in_tile / 4, tiling);
                let mut d_value = output_gradients[turn];
                #[unroll]
                for lane in 0..4usize {
                    d_value += select(unit_in_tile % 4 == lane, sums[lane], 0.0f32);
                }
                let d_cell = d_value * out * (1.0f32 - squashed * squashed) + carried[turn];
                carry[utterance * comptime!(2 * hidden) + direction * hidden + unit] =
                    d_cell * forget;
                d_input = d_cell * candidate * input * (1.0f32 - input);
                d_forget =
                    d_cell * select(begun, previous[turn], 0.0f32) * forget * (1.0f32 - forget);
                d_candidate = d_cell * input * (1.0f32 - candidate * candidate);
                d_out = d_value * squashed * out * (1.0f32 - out);
            }
            if has_row(schedule, utterance, frame, batch) {
                let position = row_of(schedule, utterance, frame, batch, row_step);
                let at_gate =
                    position * comptime!(8 * hidden) + direction * comptime!(4 * hidden) + unit;
                gates[at_gate] = d_input;
                gates[at_gate + hidden] = d_forget;
                gates[at_gate + comptime!(2 * hidden)] = d_candidate;
                gates[at_gate + comptime!(3 * hidden)] = d_out;
            }
            let at_state =
                ((direction * batch + utterance) * comptime!(tiling.state_vectors()) + unit) * 4;
            next_state[at_state] = W::cast_from(d_input);
            next_state[at_state + 1] = W::cast_from(d_forget);
            next_state[at_state + 2] = W::cast_from(d_candidate);
            next_state[at_state + 3] = W::cast_from(d_out);
        }
    }
}

/// Runs all steps with a given tiling. `W` is the type in which gate gradients and weights are multiplied.
///
/// All tensors are contiguous, and `gates` may be overwritten.
pub(super) fn run<R: CubeRuntime, W: FactorType>(
    grad_output: &CubeTensor<R>,
    gates: CubeTensor<R>,
    cells: &CubeTensor<R>,
    weight_hh: &CubeTensor<R>,
    layout: &DeviceRows<'_, R>,
    tiling: Tiling,
    launcher: &impl StepLauncher<R>,
) -> CubeTensor<R> {
    let (frames, batch) = (layout.rows.frames(), layout.rows.batch());
    let prepared = prepare::<R, W>(weight_hh, layout, Pass::Backward, tiling);

    let cube_dim = CubeDim::new_1d(tiling.cube_units() as u32);
    let cubes = tiling.cubes(batch);
    let scalars = Scalars::new(layout.rows);
    let kernel = backward_step::BackwardStep::<W, R>::new(
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
        grad_output,
        cells,
        &prepared.weights,
        &prepared.schedule,
        &prepared.state,
        &prepared.next_state,
        &gates,
        &prepared.carry,
    ];
    let client = &gates.client;
    let launch = |step, buffers: Buffers<'_, R>| {
        let [
            grad_output,
            cells,
            weights,
            schedule,
            state,
            next_state,
            gates,
            carry,
        ] = buffers.map(array);
        let [x, y, z] = cubes;
        // SAFETY: the caller checked all shapes, with at least one frame, row and hidden unit. Utterances and
        // units are limited to the shapes before a read, and compared with them before a write. Frames are limited to
        // the rows of their utterance, which the preparation limited to the rows that exist. Packed weights and states
        // were made for this tiling. A step reads one state buffer and writes the other.
        unsafe {
            backward_step::launch_unchecked::<W, R>(
                client,
                CubeCount::Static(x, y, z),
                cube_dim,
                grad_output,
                cells,
                weights,
                schedule,
                state,
                next_state,
                gates,
                carry,
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
            states: [4, 5],
            scalars,
        },
        launch,
    });
    gates
}
