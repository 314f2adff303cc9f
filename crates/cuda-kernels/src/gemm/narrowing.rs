//! Before a product: the largest magnitude of a matrix, and the matrix in 16 bits.

use std::ops::Range;

use super::Element;
use crate::kernel::{Kernel, blocks_for, definitions, pack_numbers};

/// Columns of a narrowed matrix: whole 16 bytes, which tensor maps want of a row.
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

/// Narrows a matrix. Arguments: the matrix, the narrowed matrix `[rows, padded_columns]`, the bits of its largest magnitude,
/// the inverse scale that it leaves, and the numbers returned here. `known` bounds all magnitudes; without it the largest is
/// read from the device. `rest` asks for what the narrowed numbers leave out.
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
        // A bound of zero would ask the device.
        known.map_or(0, |bound| bound.abs().max(f32::MIN_POSITIVE).to_bits()),
        u32::from(rest),
        0,
    ];
    (
        kernel("narrow", element, rows * padded / 4, multiprocessors),
        pack_numbers(&numbers),
    )
}

/// Copies columns of a narrowed matrix that had so many. Arguments: the matrix, the copy `[rows, padded_columns]`, and the numbers
/// returned here. Wanted where the columns do not begin at whole 16 bytes, from which alone tensor maps read.
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

/// Whether tensor maps can read columns from this one on.
pub fn begins_aligned(column: usize) -> bool {
    column.is_multiple_of(8)
}

/// Finds the largest magnitude. Arguments: the numbers, a zeroed word for the result's bits, and the numbers returned here.
pub fn largest(count: usize, multiprocessors: usize) -> (Kernel, Vec<u64>) {
    (
        kernel("largest", Element::F16, count / 4, multiprocessors),
        pack_numbers(&[count as u32, 0]),
    )
}
