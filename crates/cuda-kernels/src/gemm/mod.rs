//! Matrix multiplications on the tensor cores of compute capability 9.0 (Hopper).
//!
//! Operands have 16 bits and sums are f32.
//!
//! - f16: a power-of-two scale brings the matrix's largest magnitude near the top of f16's range. The operand
//!   then has TF32's mantissa for all values down to 2⁻²⁹ of the largest, with half the memory traffic and
//!   twice the throughput of TF32. Unlike TF32, it can be stored row-major or column-major, so nothing is
//!   transposed.
//! - bf16: no scale is needed.
//! - f32 accuracy: each operand is split into two f16 numbers, the second being the rounding error of the
//!   first. Together they have all but two bits of f32's mantissa, and three GEMMs of such halves have its
//!   accuracy.
//!
//! A multiplication takes a few launches: [`largest`] if no bound on the magnitude is known, [`narrow()`] for
//! each operand, and [`GemmPlan::kernel`]. If K was split because there are fewer tiles than blocks,
//! [`crate::sums::sum_slices`] follows.

mod instruction;
mod narrowing;

pub use narrowing::{begins_aligned, columns, largest, narrow, padded_columns};

use crate::kernel::{Kernel, definitions, pack_numbers};

/// The 16-bit type of the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    /// f16 with a scale: 10 mantissa bits.
    F16,
    /// bf16: 7 mantissa bits.
    Bf16,
}

/// The contiguous dimension of an operand: K, or the dimension shared with the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Contiguous {
    /// The dimension summed over.
    K,
    /// Rows of the left operand, columns of the right.
    Other,
}

impl Contiguous {
    /// The box of the operand's tensor map: size along the strided dimension, then along the contiguous one.
    pub fn tile(self) -> [usize; 2] {
        match self {
            Self::K => [128, DEPTH],
            Self::Other => [DEPTH, 64],
        }
    }
}

/// K per tile: 128 bytes, the width of the swizzle.
const DEPTH: usize = 64;
/// Rows and columns of the tile that a pair of blocks computes.
const TILE: usize = 256;
/// Tiles of K in flight.
const STAGES: usize = 4;
/// Shared memory of all stages, plus alignment of the first stage and the barriers.
const SHARED_BYTES: usize = 1024 + STAGES * 49_152 + 128;

/// Plan of a GEMM `[m, k] · [k, n]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmPlan {
    m: usize,
    n: usize,
    k: usize,
    pairs: usize,
    /// Number of parts into which K is split. Each part writes its own slice `[m, n]`; the slices must be
    /// summed.
    pub splits: usize,
}

impl GemmPlan {
    /// Plans a GEMM of this shape for a device with `multiprocessors` multiprocessors.
    pub fn new([m, n, k]: [usize; 3], multiprocessors: usize) -> Self {
        let pairs = (multiprocessors / 2).max(1);
        let tiles = m.div_ceil(TILE) * n.div_ceil(TILE);
        // Split K to occupy idle pairs of blocks, but keep every part long enough to outweigh its start-up
        // cost.
        let most = k.div_ceil(DEPTH).div_ceil(8).min(16);
        Self {
            m,
            n,
            k,
            pairs,
            splits: (pairs / tiles.max(1)).clamp(1, most.max(1)),
        }
    }

    /// The kernel. Arguments: the tensor maps of both operands, both buffers, the result (or its slices), the
    /// inverse scale of each operand, and [`GemmPlan::numbers`].
    pub fn kernel(&self, element: Element, left: Contiguous, right: Contiguous) -> Kernel {
        let other = |side| usize::from(side == Contiguous::Other);
        Kernel {
            entry: "product",
            definitions: definitions(&[
                ("A_MN", other(left)),
                ("B_MN", other(right)),
                ("STAGES", STAGES),
            ]),
            parts: instruction::with_source(element),
            grid: (2 * self.pairs as u32, 1, 1),
            threads: 384,
            shared_bytes: SHARED_BYTES,
        }
    }

    /// The kernel's by-value argument: the offsets of K and of the other dimension in each operand, left then
    /// right, and whether to add to the existing result.
    pub fn numbers(&self, left: [usize; 2], right: [usize; 2], add: bool) -> Vec<u64> {
        let numbers = [
            self.splits,
            self.m,
            self.n,
            self.k,
            left[0],
            left[1],
            right[0],
            right[1],
            usize::from(add),
            0,
        ];
        pack_numbers(&numbers.map(|number| number as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_is_split_only_where_blocks_would_idle() {
        let splits = |shape| GemmPlan::new(shape, 132).splits;
        assert_eq!(splits([11_200, 4096, 1024]), 1);
        assert_eq!(splits([4096, 1024, 11_200]), 1, "64 tiles for 66 pairs");
        assert_eq!(splits([2048, 512, 11_184]), 4);
        assert_eq!(splits([1500, 1024, 11_200]), 2);
        assert_eq!(splits([10, 10, 64]), 1, "one tile of K");
        assert_eq!(splits([1, 1, 1_000_000]), 16);
    }
}
