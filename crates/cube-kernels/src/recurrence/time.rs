//! The order of frames in each direction, and their rows.

use cubecl::prelude::*;

/// The frame processed just before `frame`. If there is none, an arbitrary frame that is safe to read.
#[cube]
pub(super) fn neighbour(frame: u32, frames: u32, forward: bool) -> u32 {
    select(
        forward,
        max(frame, 1u32) - 1u32,
        min(frame + 1u32, frames - 1u32),
    )
}

/// Whether an utterance of this length has a frame before `frame`, in the direction's order.
#[cube]
pub(super) fn has_predecessor(frame: u32, length: u32, forward: bool) -> bool {
    select(forward, frame > 0u32, frame + 1u32 < length)
}

/// Number of rows of an utterance, with the padding after its end.
#[cube]
fn extent(schedule: &Array<u32>, utterance: usize, batch: usize) -> u32 {
    schedule[2 * batch + CUBE_COUNT_Z as usize + utterance]
}

/// Whether a frame of an utterance has a row. In a packed batch, there is one row after the last frame.
#[cube]
pub(super) fn has_row(schedule: &Array<u32>, utterance: usize, frame: u32, batch: usize) -> bool {
    frame < extent(schedule, utterance, batch)
}

/// The row of a frame of an utterance. If it has none, an arbitrary row that is safe to read.
#[cube]
pub(super) fn row_of(
    schedule: &Array<u32>,
    utterance: usize,
    frame: u32,
    batch: usize,
    row_step: usize,
) -> usize {
    let first = schedule[batch + CUBE_COUNT_Z as usize + utterance] as usize;
    first + min(frame, extent(schedule, utterance, batch) - 1u32) as usize * row_step
}
