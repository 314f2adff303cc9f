//! The way through the frames: for each utterance and direction a cube, whose units share the states.
//!
//! The last frame's states lie in shared memory, and every frame's go into a table. What a unit knows of its states does not change from frame to frame and
//! stays in registers; the next frame's scores are fetched while this frame's states are computed. So a frame takes little more than
//! the sum of three probabilities and a synchronisation.

use cubecl::prelude::*;

use super::layout::FIELDS;
use super::logarithms::{LEAST, NEVER, log_sum, number};
use crate::reduce;

/// Frames between two subtractions of the largest.
const BETWEEN: usize = 8;

/// What a cube is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// States that it has room for.
    pub(super) states: usize,
    /// Its units.
    pub(super) units: usize,
}

/// The first is enough for most sentences; the second for long ones, on GPUs; the third likewise, with what WebGPU promises of
/// shared memory and units; the last takes what all GPUs of today have.
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

    /// The smallest that has room for so many states on a device with so many units a cube and bytes of shared memory.
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
    utterances: usize,
    classes: usize,
    table_size: usize,
    #[comptime] room: usize,
    #[comptime] units: usize,
) {
    let turns = comptime!(room / units);
    let utterance = CUBE_POS_X as usize;
    let reversed = CUBE_POS_Y == 1;
    let unit = UNIT_POS as usize;
    let head = utterance * comptime!(FIELDS);
    let frames = number(layout, head);
    let states = number(layout, head + 1);
    let first_state = number(layout, head + 2);
    let table = number(layout, head + 3) + select(reversed, table_size, 0);
    let first_row = select(reversed, frames - 1, 0) * utterances + utterance;

    // This frame's states and the last one's, by turns. Before the first frame one is at the first state, before its emission: then the
    // first two can be reached.
    let mut walked = SharedMemory::<f32>::new(comptime!(2 * room));
    let mut peaks = SharedMemory::<f32>::new(units);
    // Of each of the unit's states: its class, whether the blank before it may be skipped, and its score in the frame to come.
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
            // Only a blank between two different labels may be.
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
        // After the last frame comes the last once more.
        let next = min(step + 1, frames - 1);
        let next_row = select(reversed, frames - 1 - next, next) * utterances + utterance;
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
                // Of states from which the end cannot be reached nothing is kept.
                if arriving > comptime!(LEAST) && place + 2 * (frames - step) >= states {
                    here = arriving - shift + score - log_sum_of_row;
                }
                walked[now + place] = here;
                let state = select(reversed, states - 1 - place, place);
                tables[table + frame * states + state] = here;
                peak = max(peak, here);
            }
        }
        // Kahan's sum of what was subtracted.
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
        // Every utterance can be aligned, or it would not be here; so a score was not finite, and neither is the loss.
        if ends < comptime!(LEAST) {
            // Of a negative number: NaN.
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
