//! Matrix multiplications on the tensor cores of compute capability 9.0 (Hopper).
//!
//! Operands have 16 bits and sums are f32.
//!
//! - f16: a power-of-two scale brings the matrix's largest magnitude near the top of f16's range. The operand
//!   then has TF32's mantissa for all values down to 2⁻²⁷ of the largest, with half the memory traffic and
//!   twice the throughput of TF32. Unlike TF32, it can be stored row-major or column-major, so nothing is
//!   transposed.
//! - bf16: no scale is needed.
//! - f32 accuracy: each operand is split into two f16 numbers, the second being the rounding error of the
//!   first. Together they have all but two bits of f32's mantissa, and three GEMMs of such halves have its
//!   accuracy.
//!
//! A multiplication takes a few launches: [`largest`] if no bound on the magnitude is known, [`narrow()`] for
//! each operand, and [`GemmPlan::kernel`]. [`largest_of_each`] and [`narrow_each`] prepare several matrices at once.
//! If K was split because there are fewer tiles than blocks, [`crate::sums::sum_slices`] follows.

mod instruction;
mod narrowing;

pub use narrowing::{
    MOST_MATRICES, MatrixPart, begins_aligned, columns, largest, largest_of_each, narrow,
    narrow_each, padded_columns, scale_of,
};

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

/// Where a product's operands begin in their matrices: the offset of K, then of the other dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offsets {
    /// In the left operand.
    pub left: [usize; 2],
    /// In the right operand.
    pub right: [usize; 2],
}

/// What a GEMM does with its sums besides writing them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extras {
    /// Adds them to the existing result.
    pub add: bool,
    /// Adds a bias to every row.
    pub bias: bool,
    /// Finds the largest magnitude; if K is split, that of the slices.
    pub largest: bool,
    /// Hidden size, if the rows are interleaved gates of layers. They are written by gate, as in the parameters.
    pub interleaved: Option<usize>,
    /// Writes f16 instead of f32. Then K must not be split, and the number of columns must be a multiple of 8.
    pub halved: bool,
}

/// Plan of one GEMM `[m, k] · [k, n]`, or of several of the same shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmPlan {
    m: usize,
    n: usize,
    k: usize,
    products: usize,
    pairs: usize,
    /// Number of parts into which K is split. Each part writes its own slice `[products, m, n]`; the slices must be
    /// summed.
    pub splits: usize,
}

impl GemmPlan {
    /// The most products of a launch.
    pub const MOST_PRODUCTS: usize = 2;

    /// Plans `products` GEMMs of this shape for a device with `multiprocessors` multiprocessors.
    ///
    /// # Panics
    ///
    /// If there is no product, or more than [`GemmPlan::MOST_PRODUCTS`].
    pub fn new([m, n, k]: [usize; 3], products: usize, multiprocessors: usize) -> Self {
        assert!(
            (1..=Self::MOST_PRODUCTS).contains(&products),
            "{products} products"
        );
        let pairs = (multiprocessors / 2).max(1);
        let tiles = m.div_ceil(TILE) * n.div_ceil(TILE) * products;
        // Split K to occupy idle pairs of blocks, but keep every part long enough to outweigh its start-up
        // cost.
        let most = k.div_ceil(DEPTH).div_ceil(8).min(16);
        Self {
            m,
            n,
            k,
            products,
            pairs,
            splits: (pairs / tiles.max(1)).clamp(1, most.max(1)),
        }
    }

    /// The same plan without splitting K.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { splits: 1, ..self }
    }

    /// The kernel. Arguments: the tensor maps of both operands, both buffers, the results (or their slices), and the
    /// inverse scale of each operand. Then follow the bias, a zeroed word for the bits of the largest magnitude, and
    /// [`GemmPlan::numbers`]. Without the [`Extras`], bias and word may be anything.
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

    /// The kernel's by-value argument, for operands that begin here.
    ///
    /// # Panics
    ///
    /// If there is not one offset for every product, or results of this shape cannot be f16.
    pub fn numbers(&self, offsets: &[Offsets], extras: Extras) -> Vec<u64> {
        assert_eq!(offsets.len(), self.products, "one offset for every product");
        let fits = self.splits == 1 && self.n.is_multiple_of(8) && !extras.add;
        assert!(fits || !extras.halved, "{self:?} in f16");
        let mut numbers = vec![self.splits, self.m, self.n, self.k, self.products];
        let parts: [fn(&Offsets) -> usize; 4] = [
            |at| at.left[0],
            |at| at.left[1],
            |at| at.right[0],
            |at| at.right[1],
        ];
        for part in parts {
            numbers.extend(
                (0..Self::MOST_PRODUCTS).map(|product| offsets.get(product).map_or(0, part)),
            );
        }
        numbers.extend([extras.add, extras.bias, extras.largest].map(usize::from));
        numbers.extend([extras.interleaved.unwrap_or(0), usize::from(extras.halved)]);
        let numbers: Vec<u32> = numbers.into_iter().map(|number| number as u32).collect();
        pack_numbers(&numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_is_split_only_where_blocks_would_idle() {
        let splits = |shape| GemmPlan::new(shape, 1, 132).splits;
        assert_eq!(splits([11_200, 4096, 1024]), 1);
        assert_eq!(splits([4096, 1024, 11_200]), 1, "64 tiles for 66 pairs");
        assert_eq!(splits([2048, 512, 11_184]), 4);
        assert_eq!(splits([1500, 1024, 11_200]), 2);
        assert_eq!(splits([10, 10, 64]), 1, "one tile of K");
        assert_eq!(splits([1, 1, 1_000_000]), 16);
        assert_eq!(GemmPlan::new([2048, 512, 11_184], 2, 132).splits, 2);
    }

    #[test]
    fn numbers_have_the_order_of_the_kernels_struct() {
        let offsets = [1, 5].map(|first| Offsets {
            left: [first, first + 1],
            right: [first + 2, first + 3],
        });
        let extras = Extras {
            bias: true,
            interleaved: Some(64),
            ..Extras::default()
        };
        let numbers = GemmPlan::new([300, 200, 100], 2, 4).numbers(&offsets, extras);
        let unpacked: Vec<u32> = numbers
            .iter()
            .flat_map(|&pair| [pair as u32, (pair >> 32) as u32])
            .collect();
        let expected = [1, 300, 200, 100, 2, 1, 5, 2, 6, 3, 7, 4, 8, 0, 1, 0, 64, 0];
        assert_eq!(unpacked, expected);
    }
}
