//! How the GEMM of one step, state times recurrent weights, is split into cubes and units.
//!
//! A step multiplies a small state (one row per utterance) by a large matrix that stays in the cache. It is
//! limited by the speed at which all processors together can stream the weights. A cube therefore takes a few
//! hidden units of one direction for a block of rows, which gives enough cubes to occupy a large GPU. Within
//! a cube, the units split the long dimension of the GEMM, and their partial sums are added through shared
//! memory.
//!
//! Four neighbouring columns of the matrix form one vector, and so do four neighbouring values of the state.
//! A unit holds `rows_per_unit` vector sums. For four steps of the GEMM it reads four weight vectors, and one
//! state vector per row. A tiling does not depend on the number of frames. The batch size selects one of four tilings, so a run compiles few kernels.

/// Values per vector: one 16-byte load of `f32`.
pub(super) const LANES: usize = 4;

/// Most units per cube; all relevant devices support it.
pub(super) const MAX_UNITS: usize = 256;

/// With fewer cubes than this, smaller column tiles are worth the additional reads of the state.
const ENOUGH_CUBES: usize = 120;

/// The shape of one kernel, known at compile time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tiling {
    /// Hidden units per direction.
    pub hidden: usize,
    /// Column vectors per cube.
    pub columns: usize,
    /// Cubes that cover all columns of one direction.
    pub column_tiles: usize,
    /// Rows whose sums one unit holds.
    pub rows_per_unit: usize,
    /// Groups of such rows per cube.
    pub row_groups: usize,
    /// Parts into which the long dimension is split.
    pub splits: usize,
    /// State vectors per split.
    pub iterations: usize,
    /// Iterations whose loads are issued together.
    pub window: usize,
}

/// The pass that a tiling is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Hidden states times weights: a column vector is one hidden unit's four gates.
    Forward,
    /// Gate gradients times transposed weights: a column vector is four hidden units.
    Backward,
}

impl Tiling {
    /// The tiling for a layer and a batch, within `shared_memory` bytes per cube.
    pub fn new(pass: Pass, hidden: usize, batch: usize, shared_memory: usize) -> Self {
        let (row_groups, rows_per_unit) = match batch {
            0..=4 => (1, 4),
            5..=8 => (1, 8),
            9..=16 => (2, 8),
            _ => (4, 8),
        };
        let cubes =
            |units: usize| 2 * hidden.div_ceil(units) * batch.div_ceil(row_groups * rows_per_unit);
        let units = [16, 8]
            .into_iter()
            .find(|&units| cubes(units) >= ENOUGH_CUBES)
            .unwrap_or(4);
        let (columns, vectors) = match pass {
            Pass::Forward => (units, hidden.div_ceil(LANES)),
            Pass::Backward => (units / LANES, hidden),
        };
        let mut splits = (MAX_UNITS / (columns * row_groups))
            .min(vectors.next_power_of_two())
            .max(1);
        // A unit stores one vector of f32 sums per row.
        let bytes = |splits: usize| {
            columns * row_groups * splits * rows_per_unit * LANES * size_of::<f32>()
        };
        while splits > 1 && bytes(splits) > shared_memory {
            splits /= 2;
        }
        let iterations = vectors.div_ceil(splits);
        Self {
            hidden,
            columns,
            column_tiles: hidden.div_ceil(units),
            rows_per_unit,
            row_groups,
            splits,
            iterations,
            window: if iterations.is_multiple_of(2) { 2 } else { 1 },
        }
    }

    /// Units per cube.
    pub fn cube_units(self) -> usize {
        self.columns * self.row_groups * self.splits
    }

    /// Rows per cube.
    pub fn rows(self) -> usize {
        self.row_groups * self.rows_per_unit
    }

    /// Vector sums per cube.
    pub fn sums(self) -> usize {
        self.rows() * self.columns
    }

    /// Vectors in a row of the state, padded to whole iterations.
    pub fn state_vectors(self) -> usize {
        self.splits * self.iterations
    }

    /// Vectors of packed weights in both directions.
    pub fn weight_vectors(self) -> usize {
        2 * self.column_tiles * LANES * self.state_vectors() * self.columns
    }

    /// Partial sums per result after the units have reduced them. It equals the number of splits if there are
    /// too few units to share the reduction.
    pub fn folded_splits(self) -> usize {
        let sharers = self.splits / self.rows_per_unit;
        if sharers >= 2 { sharers } else { self.splits }
    }

    /// Cubes that cover both directions of a batch: column tiles, directions, blocks of rows.
    pub fn cubes(self, batch: usize) -> [u32; 3] {
        [self.column_tiles as u32, 2, self.row_tiles(batch) as u32]
    }

    /// Blocks of rows that cover a batch.
    pub fn row_tiles(self, batch: usize) -> usize {
        batch.div_ceil(self.rows())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tiling_fits_the_device_and_covers_the_layer() {
        for shared_memory in [16 << 10, 32 << 10, 48 << 10] {
            for hidden in [1, 5, 32, 48, 130, 320, 512, 1024] {
                for batch in [1, 4, 5, 8, 9, 16, 17, 64, 300] {
                    for pass in [Pass::Forward, Pass::Backward] {
                        let tiling = Tiling::new(pass, hidden, batch, shared_memory);
                        let units = match pass {
                            Pass::Forward => tiling.columns,
                            Pass::Backward => tiling.columns * LANES,
                        };
                        let depth = match pass {
                            Pass::Forward => hidden,
                            Pass::Backward => LANES * hidden,
                        };
                        assert!(tiling.cube_units() <= MAX_UNITS);
                        assert!(tiling.cube_units() * tiling.rows_per_unit * 16 <= shared_memory);
                        assert!(tiling.column_tiles * units >= hidden);
                        assert!(tiling.state_vectors() * LANES >= depth);
                        assert!(tiling.row_tiles(batch) * tiling.rows() >= batch);
                        assert_eq!(tiling.iterations % tiling.window, 0);
                    }
                }
            }
        }
    }

    #[test]
    fn a_large_layer_occupies_a_large_gpu() {
        for pass in [Pass::Forward, Pass::Backward] {
            let tiling = Tiling::new(pass, 512, 16, 48 << 10);
            assert_eq!(2 * tiling.column_tiles * tiling.row_tiles(16), 128);
            assert_eq!(tiling.cube_units(), 256);
        }
    }
}
