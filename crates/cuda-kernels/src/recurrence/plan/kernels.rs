//! The kernels of a plan: source, definitions and launch parameters.

use super::{Format, Pass, Plan, Results, Storage};
use crate::kernel::{Kernel, definitions, pack_numbers};

const FORWARD: &[&str] = &[
    include_str!("../../../kernels/exchange.cuh"),
    include_str!("../../../kernels/results.cuh"),
    include_str!("../../../kernels/rows.cuh"),
    include_str!("../../../kernels/gates.cuh"),
    include_str!("../../../kernels/multiply.cuh"),
    include_str!("../../../kernels/forward_warps.cuh"),
    include_str!("../../../kernels/forward.cu"),
];
const FORWARD_WITH_WARPGROUPS: &[&str] = &[
    include_str!("../../../kernels/exchange.cuh"),
    include_str!("../../../kernels/results.cuh"),
    include_str!("../../../kernels/rows.cuh"),
    include_str!("../../../kernels/gates.cuh"),
    include_str!("../../../kernels/multiply.cuh"),
    include_str!("../../../kernels/forward_warpgroups.cuh"),
    include_str!("../../../kernels/forward.cu"),
];
const BACKWARD: &[&str] = &[
    include_str!("../../../kernels/exchange.cuh"),
    include_str!("../../../kernels/results.cuh"),
    include_str!("../../../kernels/rows.cuh"),
    include_str!("../../../kernels/gates.cuh"),
    include_str!("../../../kernels/multiply.cuh"),
    include_str!("../../../kernels/team.cuh"),
    include_str!("../../../kernels/publish_gradients.cuh"),
    include_str!("../../../kernels/backward_warps.cuh"),
    include_str!("../../../kernels/backward.cu"),
];

impl Plan {
    /// The kernels of this plan, to be launched one after the other. `kernels/forward.cu` and `kernels/backward.cu` describe their
    /// arguments; the backward pass has an [`attempt`](Plan::attempts) as well.
    ///
    /// # Panics
    ///
    /// If results of f32 accuracy are requested as factors.
    pub fn kernels(&self, storage: Storage) -> impl Iterator<Item = Kernel> {
        assert!(
            storage.results == Results::Matrix || self.format.is_narrow(),
            "{:?} results as factors",
            self.format
        );
        (0..2)
            .step_by(self.directions)
            .map(move |first| self.kernel(first, storage))
    }

    /// The by-value arguments of the backward pass. All kernels are launched once for each, with a zeroed exchange buffer each.
    pub fn attempts(&self, results: Results) -> impl Iterator<Item = Vec<u64>> {
        let has_scale = results == Results::Factor && self.format == Format::F16;
        (0..if has_scale { 2 } else { 1 }).map(|attempt| pack_numbers(&[attempt, 0]))
    }

    /// The kernel that begins with a direction.
    fn kernel(&self, first_direction: usize, storage: Storage) -> Kernel {
        let (entry, parts) = match self.pass {
            Pass::Forward if self.warpgroups => ("blstm_forward", FORWARD_WITH_WARPGROUPS),
            Pass::Forward => ("blstm_forward", FORWARD),
            Pass::Backward => ("blstm_backward", BACKWARD),
        };
        Kernel {
            entry,
            definitions: definitions(&self.definitions(first_direction, storage)),
            parts,
            grid: self.grid(),
            threads: self.threads(),
            shared_bytes: self.shared_bytes,
        }
    }

    /// The number format of operands.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Rows of the partial sums that the backward pass writes, `[slices, 8H]`.
    pub fn slices(&self) -> usize {
        let of_a_group = if self.rows == 16 { self.cells.warps } else { 1 };
        self.sets * self.cells.groups * of_a_group * (32 / self.units)
    }

    pub(super) fn grid(&self) -> (u32, u32, u32) {
        (
            (self.hidden / self.units) as u32,
            self.directions as u32,
            self.sets as u32,
        )
    }

    pub(super) fn threads(&self) -> u32 {
        ((self.warps + self.cells.all()) * 32) as u32
    }

    /// The `#define`s that the source expects.
    pub(super) fn definitions(
        &self,
        first_direction: usize,
        storage: Storage,
    ) -> Vec<(&'static str, usize)> {
        let mut definitions = vec![
            ("FORMAT", self.format as usize),
            ("H", self.hidden),
            ("UNITS", self.units),
            ("WARPS", self.warps),
            ("CELL_GROUPS", self.cells.groups),
            ("CELL_WARPS", self.cells.warps),
            ("ROWS", self.rows),
            ("TILES", self.tiles),
            ("PASSES", self.passes),
            ("SETS", self.sets),
            ("FIRST_DIRECTION", first_direction),
            ("PACKED", usize::from(self.packed)),
            ("FACTOR", usize::from(storage.results == Results::Factor)),
            ("GATES", storage.gates as usize),
            ("SMEM_STEPS", self.shared_steps),
            ("PAUSE", self.pause),
        ];
        if let Some((multiplying, cells)) = self.role_registers {
            definitions.push(("MULTIPLY_REGISTERS", multiplying));
            definitions.push(("CELL_REGISTERS", cells));
        }
        if self.pass == Pass::Backward {
            definitions.push(("SPLIT", self.split));
            definitions.push(("CLUSTER", usize::from(self.clustered)));
        }
        definitions
    }
}
