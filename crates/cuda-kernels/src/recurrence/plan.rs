//! Launch plans: how a persistent recurrence is split into blocks, given the layer's shape and the device.
//!
//! All blocks must be resident at once, because each waits for all others at every step. There is one block
//! per multiprocessor, and never more blocks than multiprocessors. A block keeps its part of the recurrent
//! weights in registers and, if these do not suffice, in shared memory.

mod kernels;
mod shape;

use super::format::Format;
use crate::Device;
use shape::{Rank, Shape};

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

/// The form of what a pass computes for the GEMMs that follow: hidden states or gate gradients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// A matrix of f32.
    Matrix,
    /// An operand of GEMMs, in the 16-bit format of the recurrence. Not for [`Format::F32`].
    Factor,
}

/// How the gates of a cell are stored. `kernels/gates.cuh` has the same values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gates {
    /// All units of a gate follow each other, as in the parameters.
    ByGate = 0,
    /// The four gates of a unit follow each other.
    Interleaved = 1,
    /// The same in f16. Their gradients must be factors.
    InterleavedF16 = 2,
}

/// What a pass reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Storage {
    /// The form of the results.
    pub results: Results,
    /// The gates, and the order of their gradients.
    pub gates: Gates,
}

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
    /// Warps of a block that multiply; they split K, or the columns if they are warpgroups.
    warps: usize,
    /// Warps that compute cells.
    cells: CellWarps,
    /// Utterances of a tile: 16 or 8.
    rows: usize,
    /// Whether warpgroups multiply (forward pass).
    warpgroups: bool,
    /// Tiles that a block interleaves.
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
    /// Whether these blocks are a cluster.
    clustered: bool,
    /// Registers of a thread in a multiplying warp and in a cell warp, if they differ.
    role_registers: Option<(usize, usize)>,
    /// Clock cycles between publishing and the first poll.
    pause: usize,
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

/// Warps of a block that compute cells, in addition to those that multiply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CellWarps {
    /// Groups, each with its own tiles.
    pub groups: usize,
    /// Warps of a group.
    pub warps: usize,
}

impl CellWarps {
    /// Number of warps.
    pub fn all(self) -> usize {
        self.groups * self.warps
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
            let blocks = [(8, 16), (16, 16), (32, 16), (16, 8), (32, 8)];
            for (units, rows, warps) in blocks
                .into_iter()
                .flat_map(|(units, rows)| [(units, rows, 8), (units, rows, 4)])
            {
                let shape = Shape {
                    pass,
                    format,
                    hidden,
                    units,
                    rows,
                    warps,
                    directions,
                };
                match shape.plan(batches, device) {
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
}

#[cfg(test)]
mod tests;
