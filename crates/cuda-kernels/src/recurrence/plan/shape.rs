//! The plan for one way to split a layer into blocks, and how good it is.

use super::{Batches, CellWarps, PASSES_FIXED_UP_TO, Pass, Plan};
use crate::Device;
use crate::recurrence::format::Format;
use crate::recurrence::registers::Registers;

/// Rank of a plan, lower is better: few utterances per block, then small tiles, small blocks, and many warps.
pub(super) type Rank = (usize, usize, usize, usize);

/// So many blocks in clusters of two were seen to be resident at once on an H200, which has this many multiprocessors.
const CLUSTERED_BLOCKS: usize = 128;
const MULTIPROCESSORS_OF_H200: usize = 132;

/// A layer, and the blocks that compute it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub pass: Pass,
    pub format: Format,
    pub hidden: usize,
    /// Hidden units per block.
    pub units: usize,
    /// Utterances of a tile.
    pub rows: usize,
    /// Warps of a block that multiply.
    pub warps: usize,
    /// Directions per launch.
    pub directions: usize,
}

impl Shape {
    /// The plan with these blocks, and its rank. Without a reason if there are too many blocks or too few
    /// registers.
    pub fn plan(self, batches: Batches, device: Device) -> Result<(Rank, Plan), Option<String>> {
        let Self {
            pass,
            format,
            hidden,
            units,
            rows,
            warps,
            directions,
        } = self;
        let all_tiles = batches.utterances.div_ceil(rows);
        let is_counted = batches.utterances > PASSES_FIXED_UP_TO;
        let blocks = hidden / units;
        if !hidden.is_multiple_of(units) || directions * blocks > device.multiprocessors {
            return Err(None);
        }
        let sets = all_tiles.min(device.multiprocessors / (directions * blocks));
        let here = all_tiles.div_ceil(sets);
        let is_scaled = pass == Pass::Backward && format == Format::F16;
        let warpgroups = self.warpgroups(device);
        // A tile of 8 rows halves what a block reads. Two of them read as much as one of 16, but share scales among more units.
        let may_be_small = here == 1 || here == 2 && is_scaled && units == 32;
        let is_measured = device.is_hopper() && format.is_narrow() && !is_counted;
        if rows == 8 && !(may_be_small && is_measured) {
            return Err(None);
        }
        let (split, clustered) = self.team(blocks, directions * sets * blocks, device);
        let (steps, columns) = match pass {
            Pass::Forward => (hidden / 16, 4 * units / 8),
            Pass::Backward => (hidden / 4 / split, units * split / 8),
        };
        // A load has the values of one step of 16 rows, or of two steps of 8 rows.
        let groups = steps * rows / 16;
        let per_warp = groups.div_ceil(warps) * 16 / rows;
        let part = match pass {
            // One sum, and the vector that the warpgroups multiply.
            Pass::Forward if warpgroups => 16 * (4 * units + 8) + hidden * 8,
            Pass::Forward if rows == 16 => warps * 16 * (4 * units + 8),
            Pass::Forward => warps * 8 * 4 * units,
            Pass::Backward => steps.div_ceil(per_warp) * columns * 8 * rows,
        };
        // Words that a block receives from its team.
        let inbox = if split > 1 { rows * units * split } else { 0 };
        let exchanged = match pass {
            Pass::Forward => hidden / 16 * rows / 16 * format.loads() * 128,
            Pass::Backward => {
                // f16 gradients: a scale for each row of the tile.
                let scales = if is_scaled { rows } else { 0 };
                let sums = if clustered { 0 } else { inbox * blocks };
                hidden / 4 * rows / 16 * (format.loads() * 128 + scales) + sums
            }
        };
        let has_two_small_tiles = rows == 8 && here == 2;
        let cells = match pass {
            // Four warps for both tiles would be the slowest part of a step.
            Pass::Backward if has_two_small_tiles => CellWarps {
                groups: 2,
                warps: 4,
            },
            Pass::Forward if warpgroups && here == 1 => CellWarps {
                groups: 1,
                warps: 8,
            },
            _ => CellWarps {
                groups: 1,
                warps: 4,
            },
        };
        let registers = Registers {
            capability: device.capability,
            format,
            warps,
            units,
            rows,
            columns,
            steps,
            per_warp,
            is_backward: pass == Pass::Backward,
            is_scaled,
            is_counted,
            has_several_tiles: here > 1 && !is_counted,
            has_two_small_tiles,
            cell_warps: cells.all(),
            warpgroups,
        };
        if !registers.suffice() {
            return Err(None);
        }
        let shared_steps = per_warp.saturating_sub(registers.steps_of_weights());
        // The larger blocks that tiles of 8 rows need are slower if they read most weights from shared memory.
        if rows == 8 && 2 * shared_steps > per_warp {
            return Err(None);
        }
        let weights = warps * shared_steps * columns * 32 * format.registers();
        // A cluster's parts of sums arrive in two slots, each with a barrier of two words.
        let slots = if clustered { 2 * (inbox + 2) } else { 0 };
        let needed = |tiles| 4 * (tiles * (part + slots) + weights);
        let most_tiles = here.min(registers.most_tiles());
        let fits = |tiles: &usize| needed(*tiles) <= device.shared_bytes;
        let is_shared = |tiles: &usize| tiles.is_multiple_of(cells.groups);
        let Some(tiles) = (1..=most_tiles).rev().filter(is_shared).find(fits) else {
            let (needed, available) = (needed(cells.groups), device.shared_bytes);
            return Err(Some(format!(
                "blocks of {units} units need {needed} bytes of shared memory, but the device has {available}"
            )));
        };
        let plan = Plan {
            pass,
            format,
            hidden,
            units,
            warps,
            cells,
            rows,
            warpgroups,
            tiles,
            passes: if is_counted { 0 } else { here.div_ceil(tiles) },
            sets,
            directions,
            packed: batches.packed,
            shared_steps,
            split,
            clustered,
            role_registers: registers.of_roles(),
            pause: pause(units, rows),
            shared_bytes: needed(tiles),
            exchange_words: 4 * exchanged * all_tiles,
        };
        Ok(((here * rows, rows, units, usize::MAX - warps), plan))
    }

    /// Whether two warpgroups multiply, each with half of the weights in its registers.
    fn warpgroups(self, device: Device) -> bool {
        let fits = self.hidden <= 512 && (self.units, self.rows, self.warps) == (32, 16, 8);
        let can = device.is_hopper() && self.format.is_narrow() && self.pass == Pass::Forward;
        fits && can
    }

    /// How many neighbouring blocks split K, and whether they are a cluster. The launch has `all` blocks, each direction and set
    /// `blocks`.
    fn team(self, blocks: usize, all: usize, device: Device) -> (usize, bool) {
        let is_new = device.capability.0 >= 10;
        let are_resident =
            all * MULTIPROCESSORS_OF_H200 <= CLUSTERED_BLOCKS * device.multiprocessors;
        let can_cluster = device.is_hopper() && self.format.is_narrow() && are_resident;
        match self.pass {
            Pass::Forward => (1, false),
            // An H200's multiprocessors are in groups of 8 to 18, so clusters of four would leave some of them idle. Operands of f32
            // accuracy are so large that smaller shares of K matter more.
            Pass::Backward if can_cluster && blocks.is_multiple_of(2) => (2, true),
            // On newer devices, sums for four large blocks need too many registers.
            Pass::Backward if blocks.is_multiple_of(4) && (self.units < 32 || !is_new) => {
                (4, false)
            }
            Pass::Backward if blocks.is_multiple_of(2) => (2, false),
            Pass::Backward => (1, false),
        }
    }
}

/// Clock cycles until published cells have arrived, if every thread publishes one. More cells are published over a longer time.
fn pause(units: usize, rows: usize) -> usize {
    match (units, rows) {
        (8, 16) => 160,
        (16, 8) => 240,
        _ => 0,
    }
}
