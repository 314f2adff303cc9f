//! Conversion of matrices to 16 bits, and the search for their largest magnitude.

use std::ops::Range;

use super::Element;
use crate::kernel::{Kernel, blocks_for, definitions, pack_numbers};

/// Columns of a narrowed matrix, padded to a multiple of 16 bytes as tensor maps require.
pub fn padded_columns(columns: usize) -> usize {
    columns.next_multiple_of(8)
}

fn kernel(entry: &'static str, element: Element, items: usize, multiprocessors: usize) -> Kernel {
    let source: &[&str] = &[include_str!("../../kernels/narrow.cu")];
    Kernel {
        definitions: definitions(&[("BF16", usize::from(element == Element::Bf16))]),
        ..Kernel::plain(entry, source, (blocks_for(items, multiprocessors), 1))
    }
}

/// Converts a matrix to 16 bits. Arguments: the matrix, the narrowed matrix `[rows, padded_columns]`, the
/// bits of its largest magnitude, the inverse scale (output), and the numbers returned here.
///
/// `known` is a bound on all magnitudes; without it the kernel reads the largest one from the device. With
/// `rest`, the kernel writes the rounding error of the narrowed numbers instead.
pub fn narrow(
    [rows, columns]: [usize; 2],
    known: Option<f32>,
    rest: bool,
    element: Element,
    multiprocessors: usize,
) -> (Kernel, Vec<u64>) {
    let padded = padded_columns(columns);
    let numbers = [
        rows as u32,
        columns as u32,
        padded as u32,
        // Zero means "read from the device", so a bound of zero becomes the smallest positive number.
        known.map_or(0, |bound| bound.abs().max(f32::MIN_POSITIVE).to_bits()),
        u32::from(rest),
        0,
    ];
    (
        kernel("narrow", element, rows * padded / 4, multiprocessors),
        pack_numbers(&numbers),
    )
}

/// Copies a range of columns of a narrowed matrix. Arguments: the matrix, the copy `[rows, padded_columns]`,
/// and the numbers returned here. Needed if the range does not start at a multiple of 16 bytes, as tensor
/// maps require.
pub fn columns(
    [rows, all]: [usize; 2],
    wanted: Range<usize>,
    multiprocessors: usize,
) -> (Kernel, Vec<u64>) {
    let padded = padded_columns(wanted.len());
    let numbers = [
        rows,
        padded_columns(all),
        wanted.start,
        wanted.len(),
        padded,
        0,
    ];
    (
        kernel("columns", Element::F16, rows * padded, multiprocessors),
        pack_numbers(&numbers.map(|number| number as u32)),
    )
}

/// Whether tensor maps can start reading at this column.
pub fn begins_aligned(column: usize) -> bool {
    column.is_multiple_of(8)
}

/// Finds the largest magnitude. Arguments: the numbers, a zeroed word for the bits of the result, and the
/// numbers returned here.
pub fn largest(count: usize, multiprocessors: usize) -> (Kernel, Vec<u64>) {
    (
        kernel("largest", Element::F16, count / 4, multiprocessors),
        pack_numbers(&[count as u32, 0]),
    )
}
