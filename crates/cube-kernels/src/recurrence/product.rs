//! The GEMM of one step, shared by both passes: rows of state times a tile of columns.
//!
//! Only the few neighbouring units of one split need a given state value, so it goes straight from the cache
//! into registers. Staging it in shared memory would save no reads. Shared memory holds the partial sums.
//! Rows beyond the batch read the last row again, and their sums are ignored.

use burn_tensor::{DType, bf16};
use cubecl::prelude::*;

use super::tiling::Tiling;

/// The vector size.
pub(super) type Four = Const<4>;

/// A type in which state and weights are multiplied.
pub(super) trait FactorType: Float + CubeElement {
    /// The corresponding burn type.
    const DTYPE: DType;
}

impl FactorType for f32 {
    const DTYPE: DType = DType::F32;
}

impl FactorType for bf16 {
    const DTYPE: DType = DType::BF16;
}

/// Loads a unit's operands for one step of its GEMM: four weight vectors, and a state vector for each of its
/// rows.
///
/// Steps use `slots` of registers in turn. A slot is refilled as soon as it has been used, so its loads
/// overlap with the work on the other slots. A compiler would wait for each load in turn.
#[cube]
#[allow(clippy::too_many_arguments)]
fn load<W: Float>(
    state: &Array<Vector<W, Four>>,
    weights: &Array<Vector<W, Four>>,
    slots: &mut Array<Vector<W, Four>>,
    row_starts: &Array<usize>,
    weight_start: usize,
    iteration: usize,
    #[comptime] slot: usize,
    #[comptime] tiling: Tiling,
) {
    let rows = comptime!(tiling.rows_per_unit);
    let first = comptime!(slot * (4 + tiling.rows_per_unit));
    let offset = iteration * comptime!(tiling.splits);
    #[unroll]
    for lane in 0..4usize {
        let plane = comptime!(lane * tiling.state_vectors() * tiling.columns);
        slots[comptime!(first + lane)] =
            weights[weight_start + offset * comptime!(tiling.columns) + plane];
    }
    #[unroll]
    for row in 0..rows {
        slots[comptime!(first + 4 + row)] = state[row_starts[row] + offset];
    }
}

/// Multiplies the operands of one slot and adds them to the sums.
#[cube]
fn multiply<W: Float>(
    slots: &Array<Vector<W, Four>>,
    sums: &mut Array<Vector<f32, Four>>,
    #[comptime] slot: usize,
    #[comptime] tiling: Tiling,
) {
    let first = comptime!(slot * (4 + tiling.rows_per_unit));
    #[unroll]
    for lane in 0..4usize {
        let weight = Vector::<f32, Four>::cast_from(slots[comptime!(first + lane)]);
        #[unroll]
        for row in 0..comptime!(tiling.rows_per_unit) {
            let value = slots[comptime!(first + 4 + row)];
            sums[row] = fma(weight, Vector::new(f32::cast_from(value[lane])), sums[row]);
        }
    }
}

/// Computes this unit's share of the GEMM and stores it in the cube's partial sums.
///
/// Partial sums are ordered by row, split, column.
#[cube]
#[allow(clippy::too_many_arguments)]
pub(super) fn partial_sums<W: Float>(
    state: &Array<Vector<W, Four>>,
    weights: &Array<Vector<W, Four>>,
    partial: &mut SharedMemory<Vector<f32, Four>>,
    direction: usize,
    column_tile: usize,
    first_row: usize,
    batch: usize,
    #[comptime] tiling: Tiling,
) {
    let columns = comptime!(tiling.columns);
    let splits = comptime!(tiling.splits);
    let rows = comptime!(tiling.rows_per_unit);
    let depth = comptime!(tiling.state_vectors());
    let window = comptime!(tiling.window);

    let unit = UNIT_POS as usize;
    let column = unit % columns;
    let split = (unit / columns) % splits;
    let group = unit / (columns * splits);

    let tile = direction * comptime!(tiling.column_tiles) + column_tile;
    let weight_start = tile * comptime!(4 * depth * columns) + split * columns + column;
    let mut row_starts = Array::<usize>::new(rows);
    let mut sums = Array::<Vector<f32, Four>>::new(rows);
    #[unroll]
    for row in 0..rows {
        let row_in_batch = min(first_row + group * rows + row, batch - 1);
        row_starts[row] = (direction * batch + row_in_batch) * depth + split;
        sums[row] = Vector::new(0.0f32);
    }

    let mut slots = Array::<Vector<W, Four>>::new(comptime!(window * (4 + rows)));
    #[unroll]
    for slot in 0..window {
        load::<W>(
            state,
            weights,
            &mut slots,
            &row_starts,
            weight_start,
            slot.runtime(),
            slot,
            tiling,
        );
    }
    for turn in 1..comptime!(tiling.iterations / window) {
        #[unroll]
        for slot in 0..window {
            multiply::<W>(&slots, &mut sums, slot, tiling);
            load::<W>(
                state,
                weights,
                &mut slots,
                &row_starts,
                weight_start,
                turn * window + slot,
                slot,
                tiling,
            );
        }
    }
    #[unroll]
    for slot in 0..window {
        multiply::<W>(&slots, &mut sums, slot, tiling);
    }

    #[unroll]
    for row in 0..rows {
        partial[((group * rows + row) * splits + split) * columns + column] = sums[row];
    }
}

/// Reduces the partial sums to [`Tiling::folded_splits`] per result, using all units.
///
/// Every unit of a cube must call it once. It synchronises the cube before and after.
#[cube]
pub(super) fn fold(partial: &mut SharedMemory<Vector<f32, Four>>, #[comptime] tiling: Tiling) {
    let columns = comptime!(tiling.columns);
    let splits = comptime!(tiling.splits);
    let left = comptime!(tiling.folded_splits());

    sync_cube();
    if comptime!(left < splits) {
        let unit = UNIT_POS as usize;
        let column = unit % columns;
        let share = (unit / columns) % left;
        let row = unit / (columns * left);
        let mut sum = Vector::<f32, Four>::new(0.0f32);
        #[unroll]
        for part in 0..comptime!(splits / left) {
            sum += partial[(row * splits + part * left + share) * columns + column];
        }
        sync_cube();
        partial[unit] = sum;
        sync_cube();
    }
}

/// The result for one row and one column of the cube.
#[cube]
pub(super) fn folded_sum(
    partial: &SharedMemory<Vector<f32, Four>>,
    row: usize,
    column: usize,
    #[comptime] tiling: Tiling,
) -> Vector<f32, Four> {
    let left = comptime!(tiling.folded_splits());
    let mut sum = Vector::<f32, Four>::new(0.0f32);
    #[unroll]
    for part in 0..left {
        sum += partial[(row * left + part) * comptime!(tiling.columns) + column];
    }
    sum
}
