//! The order of frames in each direction.

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
