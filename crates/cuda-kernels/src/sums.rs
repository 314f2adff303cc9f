//! Sums in a fixed order: of a matrix's columns (the gradient of a bias) in slices of rows, so that all of the device works, and of
//! slices.

use crate::kernel::{Kernel, blocks_for, pack_numbers};

const SOURCE: &[&str] = &[include_str!("../kernels/sums.cu")];

/// A launch that leaves `slices` rows of partial sums, to be added by [`sum_slices`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSums {
    /// The kernel. Its arguments: the matrix, the slices `[slices, columns]`, and the numbers.
    pub kernel: Kernel,
    /// The kernel's numbers.
    pub numbers: Vec<u64>,
    /// Slices of rows.
    pub slices: usize,
}

/// How to add up the columns of a matrix.
pub fn column_sums([rows, columns]: [usize; 2], multiprocessors: usize) -> ColumnSums {
    let wide = columns.div_ceil(256).max(1);
    // Eight blocks of 256 threads fill a multiprocessor; a slice of fewer than 32 rows is not worth a block.
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

/// Adds up `slices` vectors of `count` numbers that lie one after the other. Arguments: these, the sum, and the numbers
/// returned here.
pub fn sum_slices(count: usize, slices: usize, multiprocessors: usize) -> (Kernel, Vec<u64>) {
    let blocks = blocks_for(count / 4, multiprocessors);
    let kernel = Kernel::plain("sum_slices", SOURCE, (blocks, 1));
    (kernel, pack_numbers(&[count as u32, slices as u32]))
}
