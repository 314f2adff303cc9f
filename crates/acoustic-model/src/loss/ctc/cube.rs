//! CTC's forward-backward on any device that CubeCL compiles for.
//!
//! Two launches. In the first, a cube for each utterance and direction walks through the frames: its units share the states, the last
//! frame's lie in shared memory, and every frame's go into a table. The backward direction is the forward one of the
//! sequence reversed, so both tables include a frame's own emission. In the second, a cube for each row sums over states what the two tables say together
//! and makes the gradient, in the place of the scores.
//!
//! In f32, logarithms of thousands would lose the digits that count. So the largest of a frame is subtracted from time to time: where the
//! tables are used it does not matter, because at each frame the states' probabilities are known to sum to one; for the
//! loss, what was subtracted is summed with its rounding error.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; the layout says how much there is of everything.

use burn::tensor::DType;
use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use cubecl::prelude::*;

use super::layout::{FIELDS, Layout};
use crate::buffers::{array, empty_like, into_own_buffer};
use crate::launches;
use crate::loss::cube::{RowLosses, grid};
use crate::loss::together;

/// Units of a cube that walks.
const WALKERS: usize = 256;
/// Cubes are compiled for so many states or for so many; two frames of the larger number take the shared memory that WebGPU promises, less
/// what it takes to find the largest.
const ROOM: [usize; 2] = [512, 1792];
/// Frames between two subtractions.
const BETWEEN: usize = 8;
/// The logarithm of 0, with which one can compute.
const NEVER: f32 = -1e30;
/// Whatever is below stands for 0 too.
const LEAST: f32 = -1e29;

/// The logarithm of the sum of what three logarithms stand for.
#[cube]
fn log_sum(first: f32, second: f32, third: f32) -> f32 {
    let top = max(first, max(second, third));
    let mut sum = comptime!(NEVER).runtime();
    if top > comptime!(LEAST) {
        let shares = f32::exp(first - top) + f32::exp(second - top) + f32::exp(third - top);
        sum = top + f32::ln(shares);
    }
    sum
}

/// A number of the layout.
#[cube]
fn number(layout: &Array<i32>, index: usize) -> usize {
    u32::cast_from(layout[index]) as usize
}

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
#[allow(clippy::manual_is_multiple_of, reason = "kernels have none")]
fn walk_kernel(
    scores: &Array<f32>,
    log_sums: &Array<f32>,
    layout: &Array<i32>,
    tables: &mut Array<f32>,
    losses: &mut Array<f32>,
    utterances: usize,
    classes: usize,
    table_size: usize,
    #[comptime] room: usize,
) {
    let utterance = CUBE_POS_X as usize;
    let reversed = CUBE_POS_Y == 1;
    let unit = UNIT_POS as usize;
    let head = utterance * comptime!(FIELDS);
    let frames = number(layout, head);
    let states = number(layout, head + 1);
    let first_state = number(layout, head + 2);
    let table = number(layout, head + 3) + select(reversed, table_size, 0);

    // This frame's states and the last one's, by turns.
    let mut walked = SharedMemory::<f32>::new(comptime!(2 * room));
    let mut peaks = SharedMemory::<f32>::new(comptime!(WALKERS));
    let mut shift = 0.0f32;
    let mut shifted = 0.0f32;
    let mut rest = 0.0f32;
    let mut step = 0usize;
    while step < frames {
        let frame = select(reversed, frames - 1 - step, step);
        let row = frame * utterances + utterance;
        let now = (step % 2) * room;
        let before = ((step + 1) % 2) * room;
        let mut peak = comptime!(NEVER).runtime();
        let mut place = unit;
        while place < states {
            let state = select(reversed, states - 1 - place, place);
            let class = number(layout, first_state + state);
            let mut arriving = comptime!(NEVER).runtime();
            if step == 0 {
                if place < 2 {
                    arriving = 0.0f32;
                }
            } else {
                let mut moved = comptime!(NEVER).runtime();
                if place >= 1 {
                    moved = walked[before + place - 1];
                }
                let mut skipped = comptime!(NEVER).runtime();
                // Only a blank between two different labels may be skipped.
                if place % 2 == 1 && place >= 3 {
                    let behind = select(reversed, state + 2, state - 2);
                    if number(layout, first_state + behind) != class {
                        skipped = walked[before + place - 2];
                    }
                }
                arriving = log_sum(walked[before + place], moved, skipped);
            }
            let mut here = comptime!(NEVER).runtime();
            // Of states from which the end cannot be reached nothing is kept.
            if arriving > comptime!(LEAST) && place + 2 * (frames - step) >= states {
                here = arriving - shift + scores[row * classes + class] - log_sums[row];
            }
            walked[now + place] = here;
            tables[table + frame * states + state] = here;
            peak = max(peak, here);
            place += comptime!(WALKERS);
        }
        // Kahan's sum of what was subtracted.
        let corrected = shift - rest;
        let sum = shifted + corrected;
        rest = (sum - shifted) - corrected;
        shifted = sum;
        shift = 0.0f32;
        step += 1;
        if step % comptime!(BETWEEN) == 0 {
            shift = together::largest(&mut peaks, peak, comptime!(WALKERS));
        } else {
            sync_cube();
        }
    }
    if unit == 0 && !reversed {
        let last = ((frames - 1) % 2) * room + states - 1;
        let mut other = comptime!(NEVER).runtime();
        if states > 1 {
            other = walked[last - 1];
        }
        let ends = log_sum(walked[last], other, comptime!(NEVER).runtime());
        let mut loss = -((ends - rest) + shifted);
        // Every utterance can be aligned, or it would not be here; so a score was not finite, and neither is the loss.
        if ends < comptime!(LEAST) {
            // Of a negative number: NaN.
            loss = f32::ln(ends);
        }
        losses[utterance] = loss;
    }
}

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
fn gradient_kernel(
    log_sums: &Array<f32>,
    layout: &Array<i32>,
    tables: &Array<f32>,
    scores: &mut Array<f32>,
    rows: usize,
    utterances: usize,
    classes: usize,
    table_size: usize,
    scale: f32,
    #[comptime] units: usize,
) {
    let row = CUBE_POS_Y as usize * CUBE_COUNT_X as usize + CUBE_POS_X as usize;
    let unit = UNIT_POS as usize;
    let mut shared = SharedMemory::<f32>::new(units);
    if row < rows {
        let frame = row / utterances;
        let head = (row % utterances) * comptime!(FIELDS);
        let first_score = row * classes;
        if frame >= number(layout, head) {
            let mut class = unit;
            while class < classes {
                scores[first_score + class] = 0.0f32;
                class += units;
            }
        } else {
            let states = number(layout, head + 1);
            let first_state = number(layout, head + 2);
            let forward = number(layout, head + 3) + frame * states;
            let backward = forward + table_size;
            let first_class = number(layout, head + 4);
            let log_sum_of_row = log_sums[row];

            // The sum of the two tables holds the emission twice.
            let mut peak = comptime!(NEVER).runtime();
            let mut state = unit;
            while state < states {
                let score = scores[first_score + number(layout, first_state + state)];
                peak = max(
                    peak,
                    tables[forward + state] + tables[backward + state] - score,
                );
                state += units;
            }
            let top = together::largest(&mut shared, peak, units);
            let mut sum = 0.0f32;
            let mut state = unit;
            while state < states {
                let score = scores[first_score + number(layout, first_state + state)];
                sum += f32::exp(tables[forward + state] + tables[backward + state] - score - top);
                state += units;
            }
            let all = top + f32::ln(together::sum(&mut shared, sum, units));

            // From here on a unit reads and writes the scores of its own classes alone.
            let mut class = unit;
            while class < classes {
                let score = scores[first_score + class];
                let mut occupied = 0.0f32;
                let mut listed = number(layout, first_class + class);
                let end = number(layout, first_class + class + 1);
                while listed < end {
                    let state = number(layout, listed);
                    occupied +=
                        f32::exp(tables[forward + state] + tables[backward + state] - score - all);
                    listed += 1;
                }
                let probability = f32::exp(score - log_sum_of_row);
                scores[first_score + class] = (probability - occupied) * scale;
                class += units;
            }
        }
    }
}

/// What alignment finds.
#[derive(Debug)]
pub(crate) struct Aligned<R: CubeRuntime> {
    /// The negative log-likelihood of each utterance, `[B]`.
    pub(crate) losses: CubeTensor<R>,
    /// The gradient of their sum, times what was asked for, with respect to the scores, `[T·B, C]`.
    pub(crate) gradient: CubeTensor<R>,
}

/// Whether the kernels have room for so many states, and a device for the tables in one buffer.
pub(crate) fn has_room(layout: &Layout) -> bool {
    const BYTES: usize = 1 << 30;
    layout.most_states <= ROOM[1] && 2 * 4 * layout.table <= BYTES
}

/// The losses of scores `[T·B, C]` and the gradient of `scale` times their sum, which takes the place of the scores where nothing else
/// holds them. `numbers` are those of the layout, on the device; `found` is what the rows' cross-entropy knows, of which the logarithms of the sums are used.
///
/// # Panics
///
/// If the layout has more states than there is room for ([`has_room`]).
pub(crate) fn align<R: CubeRuntime>(
    scores: CubeTensor<R>,
    numbers: CubeTensor<R>,
    found: &RowLosses<R>,
    layout: &Layout,
    utterances: usize,
    scale: f32,
) -> Aligned<R> {
    let [rows, classes] = scores.meta.shape().dims::<2>();
    let room = ROOM.into_iter().find(|&room| layout.most_states <= room);
    let room = room.expect("no more states than there is room for");
    let (scores, numbers) = (into_contiguous(scores), into_contiguous(numbers));
    let tables = empty_like(&scores, [2 * layout.table], DType::F32);
    let losses = empty_like(&scores, [utterances], DType::F32);
    let client = scores.client.clone();
    launches::add(2);
    // Sound: the layout was made for this batch; it lists states and classes that there are, and its table has a place for each state
    // of each frame of each utterance, twice.
    unsafe {
        walk_kernel::launch_unchecked::<R>(
            &client,
            CubeCount::Static(utterances as u32, 2, 1),
            CubeDim::new_1d(WALKERS as u32),
            array(&scores),
            array(&found.log_sum),
            array(&numbers),
            array(&tables),
            array(&losses),
            utterances,
            classes,
            layout.table,
            room,
        );
    }
    let scores = into_own_buffer(scores);
    let (units, cubes) = grid(rows, classes);
    // Sound: as above, and rows and classes are those of the scores.
    unsafe {
        gradient_kernel::launch_unchecked::<R>(
            &client,
            cubes,
            CubeDim::new_1d(units as u32),
            array(&found.log_sum),
            array(&numbers),
            array(&tables),
            array(&scores),
            rows,
            utterances,
            classes,
            layout.table,
            scale,
            units,
        );
    }
    Aligned {
        losses,
        gradient: scores,
    }
}
