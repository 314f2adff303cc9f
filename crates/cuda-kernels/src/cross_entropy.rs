//! Masked softmax and cross-entropy, with the gradient as the operand of a GEMM (`kernels/cross_entropy.cu`).
//!
//! One kernel reads the scores once. Separate kernels for losses, gradient, its conversion and the sums of its columns would read or write
//! them six times.

use crate::gemm::{Element, padded_columns, scale_of};
use crate::kernel::{Kernel, definitions};

/// The most classes. A warp keeps the scores of a row, and as many sums, in registers.
pub const MOST_CLASSES: usize = 2048;

/// Warps of a block. A thread needs two registers for every 32 classes, and about 50 others.
fn warps(classes: usize) -> usize {
    match classes {
        ..=1024 => 16,
        1025..=1536 => 12,
        _ => 8,
    }
}

/// The launch for scores of some shape.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossEntropy {
    /// The kernel. Arguments: the scores, the labels, the gradient `[rows, padded_columns]` in 16 bits, its sums
    /// `[blocks, classes]`, the losses `[blocks, 2]`, the inverse of the gradient's scale (output), and `numbers`.
    pub kernel: Kernel,
    /// The by-value argument, packed.
    pub numbers: Vec<u64>,
    /// Rows of the partial sums and of the losses.
    pub blocks: usize,
}

impl CrossEntropy {
    /// Plans the losses of `[rows, classes]` scores and the gradient of `share` times their sum; `None` if there are too many classes.
    pub fn new(
        [rows, classes]: [usize; 2],
        share: f32,
        element: Element,
        multiprocessors: usize,
    ) -> Option<Self> {
        if !(1..=MOST_CLASSES).contains(&classes) {
            return None;
        }
        let warps = warps(classes);
        let blocks = rows.div_ceil(warps).clamp(1, multiprocessors);
        let scale = scale_of(share, element);
        let word = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        Some(Self {
            kernel: Kernel {
                entry: "cross_entropy",
                definitions: definitions(&[
                    ("CLASSES", classes),
                    ("PADDED", padded_columns(classes)),
                    ("WARPS", warps),
                    ("BF16", usize::from(element == Element::Bf16)),
                ]),
                parts: &[include_str!("../kernels/cross_entropy.cu")],
                grid: (blocks as u32, 1, 1),
                threads: 32 * warps as u32,
                shared_bytes: 0,
            },
            numbers: vec![word(rows as u32, share.to_bits()), word(scale.to_bits(), 0)],
            blocks,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_warp() {
        let plan = |rows, classes| CrossEntropy::new([rows, classes], 0.5, Element::F16, 132);
        assert_eq!(plan(17, 1024).expect("a plan").blocks, 2);
        assert_eq!(plan(100_000, 1500).expect("a plan").blocks, 132);
        assert_eq!(plan(17, 2048).expect("a plan").blocks, 3);
        assert_eq!(plan(17, 2049), None);
    }
}
