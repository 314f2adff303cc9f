//! Registers of a thread: how many remain for weights, so that the compiler spills none.
//!
//! The compiler's own needs were found by compiling all plans (`scripts/compile_cuda.py`).

use super::format::Format;

/// What a multiplying warp needs registers for.
pub(super) struct Registers {
    /// The device's compute capability.
    pub capability: (i32, i32),
    /// Number format of the operands.
    pub format: Format,
    /// Multiplying warps per block.
    pub warps: usize,
    /// Hidden units per block.
    pub units: usize,
    /// Utterances of a tile.
    pub rows: usize,
    /// Columns of the GEMM, in tiles of eight.
    pub columns: usize,
    /// Steps of 16 values of K.
    pub steps: usize,
    /// Those of a warp.
    pub per_warp: usize,
    /// Whether it is the backward pass.
    pub is_backward: bool,
    /// Whether exchanged values have scales.
    pub is_scaled: bool,
    /// Whether the number of passes is counted at run time.
    pub is_counted: bool,
    /// Whether a block has several tiles, a number that is known at compile time.
    pub has_several_tiles: bool,
    /// Whether a block interleaves two tiles of 8 rows.
    pub has_two_small_tiles: bool,
    /// Warps that compute cells.
    pub cell_warps: usize,
    /// Whether warpgroups multiply. Then all weights are in registers.
    pub warpgroups: bool,
}

/// 32-bit registers of a multiprocessor.
const ALL: usize = 65_536;

impl Registers {
    /// Whether the compiler finds registers for such a kernel at all.
    pub fn suffice(&self) -> bool {
        let is_blackwell = self.capability.0 == 10;
        let groups = self.steps * self.rows / 16;
        // Some of these spill: the checks of uneven shares need more registers.
        let is_too_uneven = self.has_two_small_tiles && !groups.is_multiple_of(self.warps);
        let is_too_large = is_blackwell
            && self.is_scaled
            && self.is_counted
            && self.warps == 8
            && self.columns > 4;
        !is_too_uneven && !is_too_large
    }

    /// The largest number of tiles that a block can interleave. The cell warps need registers for each.
    pub fn most_tiles(&self) -> usize {
        let is_blackwell = self.capability.0 == 10;
        match self.units {
            _ if self.has_two_small_tiles => 2,
            8 => 4,
            16 if self.is_backward && self.per_warp > 8 => 1,
            16 if self.is_backward && is_blackwell && !self.is_scaled && !self.is_counted => 2,
            16 if !self.is_scaled && !self.is_counted => 4,
            16 if self.capability == (9, 0) => 2,
            _ => 1,
        }
    }

    /// Registers of a thread in a multiplying warp and in a cell warp, if warps can pass on registers and the weights need
    /// them.
    pub fn of_roles(&self) -> Option<(usize, usize)> {
        let is_large = self.units == 32 || self.per_warp > 8;
        let can = self.capability == (9, 0) && self.warps == 8 && self.format.is_narrow();
        let roles = match (self.cell_warps, self.is_backward) {
            (4, true) if self.has_several_tiles && self.units != 32 => (176, 152),
            (4, _) => (184, 136),
            (_, true) => (168, 80),
            (_, false) => (184, 64),
        };
        (is_large && can).then_some(roles)
    }

    /// How many steps of a warp's weights fit into registers.
    pub fn steps_of_weights(&self) -> usize {
        if self.warpgroups {
            return self.per_warp;
        }
        let per_step = self.columns * self.format.registers();
        self.all().saturating_sub(self.operands() + self.others()) / per_step
    }

    /// Registers of a thread in a multiplying warp.
    fn all(&self) -> usize {
        if let Some((multiplying, _)) = self.of_roles() {
            return multiplying;
        }
        let threads = 32 * (self.warps + self.cell_warps);
        (ALL / threads / 8 * 8).min(255)
    }

    /// Registers for loaded values, their scales, and sums. `kernels/multiply.cuh` has the same rules.
    fn operands(&self) -> usize {
        let loads = self.format.loads();
        let groups = self.per_warp * self.rows / 16;
        let in_flight = if groups * loads <= 8 { 8 } else { 4 } / loads;
        let chunk = in_flight.min(groups);
        let buffers = if groups > chunk { 2 } else { 1 };
        let scales = if self.is_scaled { 2 } else { 0 };
        let sums = if self.columns < 8 && !self.is_scaled && self.format.is_narrow() {
            2
        } else {
            1
        };
        buffers * chunk * (4 * loads + scales) + sums * self.columns * self.rows / 4
    }

    /// Registers for addresses, counters, and what the compiler needs besides.
    fn others(&self) -> usize {
        let is_long = self.per_warp * self.format.loads() > 8;
        let long = match (is_long, self.is_backward) {
            (false, _) => 0,
            (true, false) => 16,
            (true, true) => 24,
        };
        let is_uneven = !(self.steps * self.rows / 16).is_multiple_of(self.warps);
        let uneven = if is_uneven { 16 } else { 0 };
        let counted = if self.is_counted && self.is_backward {
            16
        } else {
            0
        };
        let few_warps = if self.warps == 4 { 16 } else { 0 };
        let device = match self.capability {
            (9, 0) if self.of_roles().is_some() => 0,
            (9, 0) => 16,
            _ if self.is_scaled => 80,
            (8, 0) => 32,
            (10, _) if self.is_backward => 56,
            _ => 40,
        };
        let for_tiles = match (self.rows, self.units) {
            _ if self.has_two_small_tiles => 64,
            (8, 32) => 16,
            _ => 24,
        };
        for_tiles + long + counted + uneven + few_warps + device
    }
}
