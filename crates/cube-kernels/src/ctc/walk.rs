//! The pass through the frames: one cube per utterance and direction, whose units split the states.
//!
//! The states of the previous frame are in shared memory, and those of every frame are written to a table.
//! Per-state constants stay in registers, and the next frame's scores are prefetched while this frame is
//! computed. A frame therefore takes little longer than one log-sum-exp of three values and a
//! synchronisation.

use cubecl::prelude::*;

use super::layout::FIELDS;
use super::logarithms::{LEAST, NEVER, log_sum, number};
use crate::reduce;

/// Frames between two normalisations by the largest value.
const BETWEEN: usize = 8;

/// Compile-time size of a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Largest number of states.
    pub(super) states: usize,
    /// Units per cube.
    pub(super) units: usize,
}

/// The first covers most sentences, the second long ones on GPUs. The third is for long ones too, within
/// WebGPU's guaranteed shared memory and units. The last needs the resources that all current GPUs have.
const SIZES: [Size; 4] = [
    Size::of(512, 256),
    Size::of(2048, 1024),
    Size::of(1792, 256),
    Size::of(5120, 1024),
];

impl Size {
    const fn of(states: usize, units: usize) -> Self {
        Self { states, units }
    }

    /// The smallest size for this many states on a device with the given units per cube and bytes of shared
    /// memory.
    pub(super) fn for_states(
        states: usize,
        most_units: usize,
        shared_bytes: usize,
    ) -> Option<Self> {
        SIZES.into_iter().find(|size| {
            let bytes = 4 * (2 * size.states + size.units);
            states <= size.states && size.units <= most_units && bytes <= shared_bytes
        })
    }
}

#[cube(launch_unchecked)]
#[allow(clippy::too_many_arguments)]
#[allow(clippy::manual_is_multiple_of, reason = "kernels have none")]
pub(super) fn walk_kernel(
    scores: &Array<f32>,
    log_sums: &Array<f32>,
    layout: &Array<i32>,
    tables: &mut Array<f32>,
    losses: &mut Array<f32>,
    rows: usize,
    row_step: usize,
    classes: usize,
    table_size: usize,
    #[comptime] room: usize,
    #[comptime] units: usize,
) {
    let turns = comptime!(room / units);
    let utterance = CUBE_POS_X as usize;
    let reversed = CUBE_POS_Y == 1;
    let unit = UNIT_POS as usize;
    let head = rows + utterance * comptime!(FIELDS);
    let frames = number(layout, head);
    let states = number(layout, head + 1);
    let first_state = number(layout, head + 2);
    let table = number(layout, head + 3) + select(reversed, table_size, 0);
    let own_row = number(layout, head + 5);
    let first_row = own_row + select(reversed, frames - 1, 0) * row_step;

    // This frame's states and the previous frame's, alternating. Before the first frame the path is at the
    // first state, before its emission, so the first two states are reachable.
    let mut walked = SharedMemory::<f32>::new(comptime!(2 * room));
    let mut peaks = SharedMemory::<f32>::new(units);
    // For each of the unit's states: its class, whether the blank before it may be skipped, and its score in
    // the next frame.
    let mut class_of = Array::<u32>::new(turns);
    let mut skips = Array::<u32>::new(turns);
    let mut coming = Array::<f32>::new(turns);
    #[unroll]
    for turn in 0..turns {
        let place = unit + comptime!(turn * units);
        let mut class = 0usize;
        let mut skip = 0u32;
        if place < states {
            let state = select(reversed, states - 1 - place, place);
            class = number(layout, first_state + state);
            // A blank may be skipped only between two different labels.
            if place % 2 == 1 && place >= 3 {
                let behind = select(reversed, state + 2, state - 2);
                if number(layout, first_state + behind) != class {
                    skip = 1u32;
                }
            }
            walked[room + place] = select(place == 0, 0.0f32, comptime!(NEVER).runtime());
        }
        class_of[turn] = class as u32;
        skips[turn] = skip;
        coming[turn] = scores[first_row * classes + class];
    }
    let mut coming_log_sum = log_sums[first_row];
    sync_cube();

    let mut shift = 0.0f32;
    let mut shifted = 0.0f32;
    let mut rest = 0.0f32;
    let mut step = 0usize;
    while step < frames {
        let frame = select(reversed, frames - 1 - step, step);
        let now = (step % 2) * room;
        let before = ((step + 1) % 2) * room;
        // After the last frame, read it once more.
        let next = min(step + 1, frames - 1);
        let next_row = own_row + select(reversed, frames - 1 - next, next) * row_step;
        let log_sum_of_row = coming_log_sum;
        coming_log_sum = log_sums[next_row];
        let mut peak = comptime!(NEVER).runtime();
        #[unroll]
        for turn in 0..turns {
            let place = unit + comptime!(turn * units);
            let score = coming[turn];
            coming[turn] = scores[next_row * classes + class_of[turn] as usize];
            if place < states {
                let mut moved = comptime!(NEVER).runtime();
                if place >= 1 {
                    moved = walked[before + place - 1];
                }
                let mut skipped = comptime!(NEVER).runtime();
                if skips[turn] == 1u32 {
                    skipped = walked[before + place - 2];
                }
                let arriving = log_sum(walked[before + place], moved, skipped);
                let mut here = comptime!(NEVER).runtime();
                // States from which the end cannot be reached are dropped.
                if arriving > comptime!(LEAST) && place + 2 * (frames - step) >= states {
                    here = arriving - shift + score - log_sum_of_row;
                }
                walked[now + place] = here;
                let state = select(reversed, states - 1 - place, place);
                tables[table + frame * states + state] = here;
                peak = max(peak, here);
            }
        }
        // Kahan summation of the subtracted values.
        let corrected = shift - rest;
        let sum = shifted + corrected;
        rest = (sum - shifted) - corrected;
        shifted = sum;
        shift = 0.0f32;
        step += 1;
        if step % comptime!(BETWEEN) == 0 {
            shift = reduce::largest_in_cube(&mut peaks, peak, units);
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
        // Only alignable utterances arrive here, so a score was not finite, and the loss must not be finite
        // either.
        if ends < comptime!(LEAST) {
            // The logarithm of a negative number is NaN.
            loss = f32::ln(ends);
        }
        losses[utterance] = loss;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_gets_the_smallest_size_that_it_can_hold() {
        let gpu = |states| Size::for_states(states, 1024, 48 << 10).map(|size| size.states);
        assert_eq!(
            [1, 512, 513, 1800, 5120, 5121].map(gpu),
            [
                Some(512),
                Some(512),
                Some(2048),
                Some(2048),
                Some(5120),
                None
            ]
        );
        let promised = |states| Size::for_states(states, 256, 16 << 10).map(|size| size.states);
        assert_eq!(
            [512, 513, 1793].map(promised),
            [Some(512), Some(1792), None]
        );
        for size in SIZES {
            assert!(size.states.is_multiple_of(size.units), "{size:?}");
        }
    }
}
