//! Sums in a fixed order: of a matrix's columns (the gradient of a bias) and of slices.
//!
//! Column sums split the rows into slices to occupy the whole device; the slices are added afterwards.

use crate::kernel::{Kernel, blocks_for, pack_numbers};

const SOURCE: &[&str] = &[include_str!("../kernels/sums.cu")];

/// A launch that produces `slices` rows of partial sums, to be added by [`sum_slices`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSums {
    /// The kernel. Arguments: the matrix, the slices `[slices, columns]`, and `numbers`.
    pub kernel: Kernel,
    /// The by-value argument, packed.
    pub numbers: Vec<u64>,
    /// Number of slices.
    pub slices: usize,
}

/// Plans the column sums of a matrix.
pub fn column_sums([rows, columns]: [usize; 2], multiprocessors: usize) -> ColumnSums {
    let wide = columns.div_ceil(256).max(1);
    // Eight blocks of 256 threads fill a multiprocessor. A slice of fewer than 32 rows is not worth a block.
    let most = rows.div_ceil(32).max(1);
    let rows_per_slice = rows
        .div_ceil((8 * multiprocessors / wide).clamp(1, most))
        .max(1);
    let slices = rows.div_ceil(rows_per_slice).max(1);
    ColumnSums {
        kernel: Kernel::plain("column_sums", SOURCE, (wide as u32, slices as u32)),
        numbers: pack_numbers(&[rows as u32, columns as u32, rows_per_slice as u32, 0]),
        slices,
    }
}

/// Adds `slices` contiguous vectors of `count` numbers, and writes the sum `copies` times in a row. Arguments:
/// the vectors, the sum, and the numbers returned here.
pub fn sum_slices(
    count: usize,
    slices: usize,
    copies: usize,
    multiprocessors: usize,
) -> (Kernel, Vec<u64>) {
    let blocks = blocks_for(count / 4, multiprocessors);
    let kernel = Kernel::plain("sum_slices", SOURCE, (blocks, 1));
    let numbers = [count as u32, slices as u32, copies as u32, 0];
    (kernel, pack_numbers(&numbers))
}
