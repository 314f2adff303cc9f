//! Registers of a thread: how many remain for weights, so that the compiler spills none.
//!
//! The numbers were found by compiling all plans (`scripts/compile_cuda.py`). Those of the H200 were chosen by speed as well.

use super::format::Format;

/// What a kernel needs registers for, besides weights.
pub(super) struct Registers {
    /// The device's compute capability.
    pub capability: (i32, i32),
    /// Number format of the operands.
    pub format: Format,
    /// Groups per block.
    pub groups: usize,
    /// Whether exchanged values have scales.
    pub is_scaled: bool,
    /// Whether the number of passes is counted at run time.
    pub is_counted: bool,
    /// Whether batches are packed.
    pub is_packed: bool,
    /// Whether the layer is so large that a launch has one direction only.
    pub is_large: bool,
}

impl Registers {
    /// Whether the compiler finds registers for such a kernel at all.
    pub fn suffice(&self) -> bool {
        let is_small = matches!(self.capability, (8, 1..));
        !(is_small && self.is_large && self.is_packed && self.is_counted)
    }

    /// The largest number of tiles that a group can interleave.
    pub fn most_tiles(&self) -> usize {
        match self.capability {
            _ if !self.is_scaled || !self.is_counted => 4,
            (8, 0) => 2,
            (8 | 10, _) => 1,
            _ => 3,
        }
    }

    /// Registers of a thread for weights, if its group interleaves this many tiles.
    pub fn for_weights(&self, tiles: usize) -> usize {
        let besides_tiles = [128, 112, 96, 80][tiles - 1];
        let others = match (self.groups, tiles) {
            (2, 2..) => 48,
            // Operands of two parts.
            _ if self.format == Format::F32 && self.is_counted => 32,
            _ => 0,
        };
        let large = match (self.is_large, self.is_packed) {
            (false, _) => 0,
            (true, false) => 16,
            (true, true) => 32,
        };
        usize::saturating_sub(besides_tiles, others + large + self.for_device())
    }

    /// Registers for scales and packed batches, and those that the compiler needs in addition on a device for the same source.
    fn for_device(&self) -> usize {
        let compiler = match self.capability {
            (8, 0) | (9, 0) => 0,
            (8, _) => 32,
            (10, _) => 40,
            _ => 72,
        };
        let packed = match self.is_packed && self.is_counted {
            true => 32,
            false => 0,
        };
        let scales = match self.is_counted {
            true => 48,
            false => 32,
        };
        match self.capability.0 {
            _ if !self.is_scaled => compiler + packed,
            9 => scales.max(packed),
            8 if self.is_counted => scales.max(compiler + packed) + 16,
            _ => compiler + packed + scales,
        }
    }
}
