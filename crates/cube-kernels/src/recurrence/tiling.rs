//! How one step's product, state times recurrent weights, is cut into cubes and units.
//!
//! A step multiplies a small state (a row per utterance) by a large matrix that rests in the cache, so the work is
//! bounded by how fast all processors together can stream the weights. A cube therefore takes a few hidden units of
//! one direction for a block of rows, enough cubes to occupy a large GPU, and inside of it the long dimension of the
//! product is split over the units, whose partial sums meet in shared memory.
//!
//! Four neighbouring columns of the matrix form one vector, and so do four neighbouring values of the state: a unit
//! holds `rows_per_unit` vector sums and reads, for four steps of the product, four weight vectors and a state vector
//! a row. Nothing here depends on the number of frames, and only in four bands on the number of rows, so that a run
//! compiles few kernels.

/// Values in a vector: one 16-byte load of `f32`.
pub(super) const LANES: usize = 4;

/// Units in a cube at most: what every device of interest allows.
const MAX_UNITS: usize = 256;

/// Cubes below which more of them, each with fewer columns, are worth their extra reading of the state.
const ENOUGH_CUBES: usize = 120;

/// The shape of one kernel; compiled into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tiling {
    /// Hidden units of the layer, in one direction.
    pub hidden: usize,
    /// Column vectors in a cube.
    pub columns: usize,
    /// Cubes needed to cover all columns of one direction.
    pub column_tiles: usize,
    /// Rows whose sums one unit holds.
    pub rows_per_unit: usize,
    /// Groups of such rows in a cube.
    pub row_groups: usize,
    /// Parts into which the long dimension is split.
    pub splits: usize,
    /// State vectors that each split goes through.
    pub iterations: usize,
    /// Iterations whose loads are issued together.
    pub window: usize,
}

/// Which of the two products a tiling is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Hidden states times weights: a column vector is one hidden unit's four gates.
    Forward,
    /// Gate gradients times transposed weights: a column vector is four hidden units.
    Backward,
}

impl Tiling {
    /// The tiling for a layer and a batch, within `shared_memory` bytes of shared memory a cube.
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
        // A unit leaves one vector of f32 sums a row.
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

    /// Units in a cube.
    pub fn cube_units(self) -> usize {
        self.columns * self.row_groups * self.splits
    }

    /// Rows in a cube.
    pub fn rows(self) -> usize {
        self.row_groups * self.rows_per_unit
    }

    /// Vector sums that a cube produces.
    pub fn sums(self) -> usize {
        self.rows() * self.columns
    }

    /// Vectors in a row of the state, the padding up to whole iterations included.
    pub fn state_vectors(self) -> usize {
        self.splits * self.iterations
    }

    /// Vectors of packed weights, both directions.
    pub fn weight_vectors(self) -> usize {
        2 * self.column_tiles * LANES * self.state_vectors() * self.columns
    }

    /// Partial sums left for a result once all units have added up their share; as many as there are splits where
    /// there are too few units to share the adding.
    pub fn folded_splits(self) -> usize {
        let sharers = self.splits / self.rows_per_unit;
        if sharers >= 2 { sharers } else { self.splits }
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
