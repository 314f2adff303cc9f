//! Matrix products on the tensor cores of compute capability 9.0 (Hopper).
//!
//! Operands are 16 bits wide and sums f32. As f16, with a power-of-two scale that brings a matrix's largest magnitude near
//! the top of f16's range, an operand has tf32's mantissa for everything down to 2⁻²⁹ of that largest magnitude, at half the
//! memory traffic and twice the rate of tf32; and unlike tf32 it may lie either way round in memory, so nothing is ever
//! transposed. As bf16 it needs no scale. Two f16 numbers, the second what the first leaves out, have f32's mantissa but for two
//! bits, and three products of such halves have its accuracy.
//!
//! A product is a few launches: [`largest`] where nobody knows a bound, [`narrow()`] for each operand, [`Product::kernel`],
//! and [`crate::sums::sum_slices`] where K was split because there are fewer tiles than blocks.

mod instruction;
mod narrowing;

pub use narrowing::{begins_aligned, columns, largest, narrow, padded_columns};

use crate::kernel::{Kernel, definitions, pack_numbers};

/// What operands are narrowed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    /// Ten bits of mantissa, scaled.
    F16,
    /// Seven bits of mantissa.
    Bf16,
}

/// Which dimension of an operand lies contiguous in memory: K, or the one that the result has as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Contiguous {
    /// The dimension summed over.
    K,
    /// Rows of the left operand, columns of the right.
    Other,
}

impl Contiguous {
    /// The box of the operand's tensor map: of the strided dimension, then of the contiguous one.
    pub fn tile(self) -> [usize; 2] {
        match self {
            Self::K => [128, DEPTH],
            Self::Other => [DEPTH, 64],
        }
    }
}

/// K of a tile: 128 bytes, the swizzle's width.
const DEPTH: usize = 64;
/// Rows and columns of the tile that two blocks compute together.
const TILE: usize = 256;
/// Tiles of K in flight.
const STAGES: usize = 4;
/// Bytes of one of them, and room to align the first and for the barriers.
const SHARED_BYTES: usize = 1024 + STAGES * 49_152 + 128;

/// A product `[m, k] · [k, n]`, and how it is cut up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    m: usize,
    n: usize,
    k: usize,
    pairs: usize,
    /// Parts into which K is cut; each leaves a slice `[m, n]` of its own, to be summed.
    pub splits: usize,
}

impl Product {
    /// How to compute a product of this shape on a device with so many multiprocessors.
    pub fn new([m, n, k]: [usize; 3], multiprocessors: usize) -> Self {
        let pairs = (multiprocessors / 2).max(1);
        let tiles = m.div_ceil(TILE) * n.div_ceil(TILE);
        // As many parts as there are idle pairs for, but none so short that starting it costs more than it does.
        let most = k.div_ceil(DEPTH).div_ceil(8).min(16);
        Self {
            m,
            n,
            k,
            pairs,
            splits: (pairs / tiles.max(1)).clamp(1, most.max(1)),
        }
    }

    /// The kernel. Its arguments: the tensor maps of both operands, the buffers of both, the result (or its slices), the
    /// inverse scale of each operand, [`Product::numbers`].
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

    /// The kernel's numbers: where K and the other dimension begin in each operand, left then right; whether to add to what the
    /// result holds.
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
        let splits = |shape| Product::new(shape, 132).splits;
        assert_eq!(splits([11_200, 4096, 1024]), 1);
        assert_eq!(splits([4096, 1024, 11_200]), 1, "64 tiles for 66 pairs");
        assert_eq!(splits([2048, 512, 11_184]), 4);
        assert_eq!(splits([1500, 1024, 11_200]), 2);
        assert_eq!(splits([10, 10, 64]), 1, "one tile of K");
        assert_eq!(splits([1, 1, 1_000_000]), 16);
    }
}
