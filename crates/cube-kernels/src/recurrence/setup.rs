//! Preparation of a pass in a single launch.
//!
//! It packs the weights in the order in which units read them, computes the longest length of each block of
//! rows, and zeroes the state.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; each checks its own indices.

use burn_cubecl::{CubeRuntime, tensor::CubeTensor};
use burn_tensor::DType;
use cubecl::{calculate_cube_count_elemwise, prelude::*};

use crate::buffers::{array, empty_like};
use crate::launches;

use super::{
    DeviceRows,
    product::{FactorType, Four},
    tiling::{LANES, Pass, Tiling},
};

/// Buffers shared by all steps of a pass.
pub(super) struct Prepared<R: CubeRuntime> {
    /// Weights by direction, column tile, lane of the state vector, state vector, column.
    pub weights: CubeTensor<R>,
    /// Length of every utterance, the longest of every block of utterances, and the first row and the number of rows of
    /// every utterance.
    pub schedule: CubeTensor<R>,
    /// The state before the first step, by direction, row, value: zeros.
    pub state: CubeTensor<R>,
    /// A second state buffer, written while the first is read. Also zeros.
    pub next_state: CubeTensor<R>,
    /// The carried cell gradient of the backward pass, by row, direction, hidden unit: zeros.
    pub carry: CubeTensor<R>,
}

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
fn prepare_kernel<W: Float>(
    weight_hh: &Array<f32>,
    layout: &Array<i32>,
    weights: &mut Array<Vector<W, Four>>,
    schedule: &mut Array<u32>,
    state: &mut Array<W>,
    next_state: &mut Array<W>,
    carry: &mut Array<f32>,
    frames: u32,
    batch: usize,
    rows: u32,
    row_step: u32,
    row_tiles: usize,
    state_len: usize,
    carry_len: usize,
    #[comptime] pass: Pass,
    #[comptime] tiling: Tiling,
) {
    let hidden = comptime!(tiling.hidden);
    let columns = comptime!(tiling.columns);
    let depth = comptime!(tiling.state_vectors());
    let position = ABSOLUTE_POS;

    if position < comptime!(tiling.weight_vectors()) {
        let column = position % columns;
        let vector = (position / columns) % depth;
        let lane = (position / comptime!(columns * depth)) % 4;
        let tile = (position / comptime!(4 * columns * depth)) % comptime!(tiling.column_tiles);
        let direction = position / comptime!(4 * columns * depth * tiling.column_tiles);
        let mut packed = Vector::<W, Four>::empty();
        #[unroll]
        for element in 0..4usize {
            let mut value = 0.0f32;
            if comptime!(pass == Pass::Forward) {
                // The element is a gate; the depth runs over the previous hidden state.
                let unit = tile * columns + column;
                let source = vector * 4 + lane;
                if unit < hidden && source < hidden {
                    value =
                        weight_hh[((direction * 4 + element) * hidden + unit) * hidden + source];
                }
            } else {
                // The element is a hidden unit; the depth runs over hidden units and, within each, over
                // gates.
                let unit = (tile * columns + column) * 4 + element;
                if unit < hidden && vector < hidden {
                    value = weight_hh[((direction * 4 + lane) * hidden + vector) * hidden + unit];
                }
            }
            packed[element] = W::cast_from(value);
        }
        weights[position] = packed;
    }

    if position < batch {
        schedule[position] = min(u32::cast_from(max(layout[2 + position], 0i32)), frames);
        // Limited to the rows that exist, because the steps do not check their indices.
        let first = min(
            u32::cast_from(max(layout[3 + batch + position], 0i32)),
            rows - 1u32,
        );
        let extent = u32::cast_from(max(layout[3 + 2 * batch + position], 1i32));
        schedule[batch + row_tiles + position] = first;
        schedule[2 * batch + row_tiles + position] =
            min(extent, (rows - 1u32 - first) / row_step + 1u32);
    }
    if position < row_tiles {
        let utterances = comptime!(tiling.rows());
        let mut longest = 0i32;
        for utterance in position * utterances..min((position + 1) * utterances, batch) {
            longest = max(longest, layout[2 + utterance]);
        }
        schedule[batch + position] = min(u32::cast_from(longest), frames);
    }
    if position < state_len {
        state[position] = W::new(0.0);
        next_state[position] = W::new(0.0);
    }
    if position < carry_len {
        carry[position] = 0.0f32;
    }
}

/// Launches the preparation of a pass. `W` is the type in which state and weights are multiplied.
pub(super) fn prepare<R: CubeRuntime, W: FactorType>(
    weight_hh: &CubeTensor<R>,
    layout: &DeviceRows<'_, R>,
    pass: Pass,
    tiling: Tiling,
) -> Prepared<R> {
    let batch = layout.rows.batch();
    let state_len = 2 * batch * tiling.state_vectors() * LANES;
    let carry_len = match pass {
        Pass::Forward => 1,
        Pass::Backward => 2 * batch * tiling.hidden,
    };
    let row_tiles = tiling.row_tiles(batch);
    let prepared = Prepared {
        weights: empty_like(weight_hh, [tiling.weight_vectors() * LANES], W::DTYPE),
        schedule: empty_like(weight_hh, [3 * batch + row_tiles], DType::U32),
        state: empty_like(weight_hh, [state_len], W::DTYPE),
        next_state: empty_like(weight_hh, [state_len], W::DTYPE),
        carry: empty_like(weight_hh, [carry_len], DType::F32),
    };
    let positions = tiling
        .weight_vectors()
        .max(state_len)
        .max(carry_len)
        .max(batch);
    let cube_dim = CubeDim::new_1d(256);
    let cube_count = calculate_cube_count_elemwise(&weight_hh.client, positions, cube_dim);
    launches::add(1);
    // SAFETY: the caller checked the shapes of weights `[2, 4H, H]` and of the layout. The kernel compares each
    // position with the size of the buffer that it writes, and units and gates with the shape of the weights. The
    // buffers above have exactly the sizes that the kernel gets.
    unsafe {
        prepare_kernel::launch_unchecked::<W, R>(
            &weight_hh.client,
            cube_count,
            cube_dim,
            array(weight_hh),
            array(&layout.numbers),
            array(&prepared.weights),
            array(&prepared.schedule),
            array(&prepared.state),
            array(&prepared.next_state),
            array(&prepared.carry),
            layout.rows.frames() as u32,
            batch,
            layout.rows.rows() as u32,
            layout.rows.step() as u32,
            row_tiles,
            state_len,
            carry_len,
            pass,
            tiling,
        );
    }
    prepared
}
