//! Launch plans: how a persistent recurrence is split into blocks, given the layer's shape and the device.
//!
//! All blocks must be resident at once, because each waits for all others at every step. There is one block
//! per multiprocessor, and never more blocks than multiprocessors. A block keeps its part of the recurrent
//! weights in registers and, if these do not suffice, in shared memory.

mod kernels;

use super::format::Format;
use super::registers::Registers;
use crate::Device;

/// Direction of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Computes the hidden states.
    Forward,
    /// Computes the gate gradients (backpropagation through time).
    Backward,
}

/// All combinations of pass and format that the model uses.
pub const VARIANTS: [(Pass, Format); 6] = [
    (Pass::Forward, Format::F16),
    (Pass::Forward, Format::Bf16),
    (Pass::Forward, Format::F32),
    (Pass::Backward, Format::F16),
    (Pass::Backward, Format::Bf16),
    (Pass::Backward, Format::F32),
];

/// The batches that a plan is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batches {
    /// Number of utterances.
    pub utterances: usize,
    /// Whether the utterances are stored one after the other, without padding.
    pub packed: bool,
}

/// How a pass over a layer is split into blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pass: Pass,
    format: Format,
    hidden: usize,
    /// Hidden units per block.
    units: usize,
    /// Warps per group; they split K.
    warps: usize,
    /// Groups per block; each processes its own utterances.
    groups: usize,
    /// Tiles of 16 utterances that a group interleaves.
    tiles: usize,
    /// Number of times a block runs through the sequence, for further tiles. 0: the kernel computes it at run
    /// time.
    passes: usize,
    /// Copies of the grid, each with its own tiles.
    sets: usize,
    /// Directions per launch: 2, or 1 if both do not fit at once.
    directions: usize,
    /// Whether batches are packed.
    packed: bool,
    /// Part of a warp's K, in steps of 16, whose weights are in shared memory.
    shared_steps: usize,
    /// Neighbouring blocks that split K (backward pass).
    split: usize,
    /// Dynamic shared memory per block, in bytes.
    pub shared_bytes: usize,
    /// Size of the exchange buffer between blocks, in 32-bit words.
    pub exchange_words: usize,
}

/// Hidden sizes must be multiples of this.
pub const SIZE_STEP: usize = 32;

/// The smallest supported hidden size.
pub const SMALLEST: usize = 64;

/// The largest supported hidden size.
const LARGEST: usize = 2048;

/// The largest supported batch. The exchange buffer grows with the batch.
pub const MOST_UTTERANCES: usize = 1024;

/// Up to this batch size, the number of passes is a compile-time constant. Larger batches share one kernel
/// that computes it.
pub const PASSES_FIXED_UP_TO: usize = 128;

/// Rank of a plan, lower is better: few sequential tiles, then weights in registers, then the preferred block
/// size.
type Rank = (usize, bool, isize);

/// Buffers for the parts of a sum. Large layers, which need the shared memory for weights, have one.
fn part_buffers(directions: usize) -> usize {
    match directions {
        1 => 1,
        _ => 2,
    }
}

impl Plan {
    /// Plans a pass over a layer, or returns the reason why it does not fit.
    pub fn new(
        pass: Pass,
        format: Format,
        hidden: usize,
        batches: Batches,
        device: Device,
    ) -> Result<Self, String> {
        if !hidden.is_multiple_of(SIZE_STEP) || !(SMALLEST..=LARGEST).contains(&hidden) {
            return Err(format!(
                "hidden size {hidden} is not a multiple of {SIZE_STEP} between {SMALLEST} and {LARGEST}"
            ));
        }
        let utterances = batches.utterances;
        if !(1..=MOST_UTTERANCES).contains(&utterances) {
            return Err(format!(
                "a batch of {utterances} utterances is outside the range 1 to {MOST_UTTERANCES}"
            ));
        }
        let mut reason = format!(
            "{} blocks of 32 units do not fit on {} multiprocessors",
            hidden / 32,
            device.multiprocessors
        );
        for directions in [2, 1] {
            let mut best: Option<(Rank, Self)> = None;
            for units in [8, 16, 32] {
                match Self::with_units(pass, format, hidden, batches, units, directions, device) {
                    Ok((rank, plan)) => {
                        if best.is_none_or(|(other, _)| rank < other) {
                            best = Some((rank, plan));
                        }
                    }
                    Err(Some(why)) => reason = why,
                    Err(None) => {}
                }
            }
            if let Some((_, plan)) = best {
                return Ok(plan);
            }
        }
        Err(reason)
    }

    /// The plan with this many hidden units per block and directions per launch, and its rank.
    fn with_units(
        pass: Pass,
        format: Format,
        hidden: usize,
        batches: Batches,
        units: usize,
        directions: usize,
        device: Device,
    ) -> Result<(Rank, Self), Option<String>> {
        let all_tiles = batches.utterances.div_ceil(16);
        let is_counted = batches.utterances > PASSES_FIXED_UP_TO;
        let blocks = hidden / units;
        if !hidden.is_multiple_of(units) || directions * blocks > device.multiprocessors {
            return Err(None);
        }
        let sets = all_tiles.min(device.multiprocessors / (directions * blocks));
        let here = all_tiles.div_ceil(sets);
        let split = match pass {
            Pass::Forward => 1,
            Pass::Backward if blocks.is_multiple_of(4) => 4,
            Pass::Backward if blocks.is_multiple_of(2) => 2,
            Pass::Backward => 1,
        };
        let (steps, columns) = match pass {
            Pass::Forward => (hidden / 16, 4 * units / 8),
            Pass::Backward => (hidden / 4 / split, units * split / 8),
        };
        let few = steps.div_ceil(4) * columns * 2 <= 128;
        let crowded = here > 1 || (pass == Pass::Backward && units == 8);
        let (warps, groups) = if format.is_narrow() && few && crowded {
            (4, here.min(2))
        } else {
            (8, 1)
        };
        let per_warp = steps.div_ceil(warps);
        let per_step = columns * format.registers();
        let workers = steps.div_ceil(per_warp);
        let part = match pass {
            Pass::Forward => warps * 16 * (4 * units + 8),
            Pass::Backward => workers * columns * 128,
        };
        let words = match pass {
            Pass::Forward => hidden / 16 * format.loads() * 128,
            Pass::Backward => {
                let team = if split > 1 { hidden * 16 * split } else { 0 };
                // f16 gradients: a scale for each row of the tile.
                let scales = if format == Format::F16 { 16 } else { 0 };
                hidden / 4 * (format.loads() * 128 + scales) + team
            }
        };
        let mut needed = 0;
        let registers = Registers {
            capability: device.capability,
            format,
            groups,
            is_scaled: pass == Pass::Backward && format == Format::F16,
            is_counted,
            is_packed: batches.packed,
            is_large: directions == 1,
        };
        if !registers.suffice() {
            let many = PASSES_FIXED_UP_TO;
            return Err(Some(format!(
                "packed batches of more than {many} utterances need too many registers in a layer of this size"
            )));
        }
        for tiles in (1..=here.div_ceil(groups).min(registers.most_tiles())).rev() {
            let for_weights = registers.for_weights(tiles);
            let in_registers = per_warp.min(for_weights / per_step);
            let shared_steps = per_warp - in_registers;
            let shared = warps * shared_steps * columns * 32 * format.registers();
            needed = 4 * (groups * part_buffers(directions) * part + shared);
            if needed <= device.shared_bytes {
                let rank = (
                    if units <= 16 { here.min(2) } else { 9 },
                    shared_steps > 0 && units > 16,
                    if here == 1 {
                        units as isize
                    } else {
                        -(units as isize)
                    },
                );
                let plan = Self {
                    pass,
                    format,
                    hidden,
                    units,
                    warps,
                    groups,
                    tiles,
                    passes: if is_counted {
                        0
                    } else {
                        here.div_ceil(groups).div_ceil(tiles)
                    },
                    sets,
                    directions,
                    packed: batches.packed,
                    shared_steps,
                    split,
                    shared_bytes: needed,
                    exchange_words: 4 * words * all_tiles,
                };
                return Ok((rank, plan));
            }
        }
        Err(Some(format!(
            "blocks of {units} units need {needed} bytes of shared memory, but the device has {}",
            device.shared_bytes
        )))
    }
}

#[cfg(test)]
mod tests;
