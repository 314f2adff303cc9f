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

/// The scale of a matrix with this bound on its magnitudes: a power of two. `kernels/narrow.cu` has the same rule.
pub fn scale_of(bound: f32, element: Element) -> f32 {
    let exponent = bound.to_bits() >> 23;
    match (element, exponent) {
        (Element::Bf16, _) | (_, 0 | 255..) => 1.0,
        (Element::F16, _) => f32::from_bits((267 - exponent).clamp(1, 253) << 23),
    }
}

/// The most matrices that one launch prepares.
pub const MOST_MATRICES: usize = 16;

/// A matrix in a vector of f32, and where it is written when it is narrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixPart {
    /// Its first value in the vector, a multiple of 4.
    pub from: usize,
    /// Its first value in the result, a multiple of 8.
    pub to: usize,
    /// Rows and columns.
    pub shape: [usize; 2],
    /// Hidden size, if the rows are the gates of a layer and become interleaved.
    pub interleaved: Option<usize>,
}

/// The by-value argument of [`largest_of_each`] and [`narrow_each`].
fn parts(matrices: &[MatrixPart], rest: bool) -> Vec<u64> {
    assert!(
        matrices.len() <= MOST_MATRICES,
        "{} matrices",
        matrices.len()
    );
    let mut numbers = vec![u32::from(rest), 0];
    for part in matrices {
        assert!(
            part.from.is_multiple_of(4) && part.to.is_multiple_of(8),
            "{part:?}"
        );
        let [rows, columns] = part.shape;
        let padded = padded_columns(columns);
        // Two narrowed values are a word.
        let hidden = part.interleaved.unwrap_or(0);
        let of_part = [part.from, part.to / 2, rows, columns, padded, hidden];
        numbers.extend(of_part.map(|number| number as u32));
    }
    numbers.resize(2 + 6 * MOST_MATRICES, 0);
    pack_numbers(&numbers)
}

fn kernel_for_each(
    entry: &'static str,
    element: Element,
    matrices: &[MatrixPart],
    multiprocessors: usize,
) -> Kernel {
    let values = |part: &MatrixPart| part.shape[0] * padded_columns(part.shape[1]);
    let most = matrices.iter().map(values).max().unwrap_or(0);
    let plain = kernel(entry, element, most / 4, multiprocessors);
    Kernel {
        grid: (plain.grid.0, matrices.len() as u32, 1),
        ..plain
    }
}

/// Finds the largest magnitude of each matrix. Arguments: the vector, a zeroed word for each matrix, and the numbers
/// returned here.
///
/// # Panics
///
/// If there are more than [`MOST_MATRICES`], or one is not aligned.
pub fn largest_of_each(matrices: &[MatrixPart], multiprocessors: usize) -> (Kernel, Vec<u64>) {
    (
        kernel_for_each("largest_of_each", Element::F16, matrices, multiprocessors),
        parts(matrices, false),
    )
}

/// Converts each matrix to 16 bits with its own scale. Arguments: the vector, the result, the bits of the largest
/// magnitudes, the inverse scales (output), and the numbers returned here. `rest` as in [`narrow()`].
///
/// # Panics
///
/// If there are more than [`MOST_MATRICES`], or one is not aligned.
pub fn narrow_each(
    matrices: &[MatrixPart],
    rest: bool,
    element: Element,
    multiprocessors: usize,
) -> (Kernel, Vec<u64>) {
    (
        kernel_for_each("narrow_each", element, matrices, multiprocessors),
        parts(matrices, rest),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_brings_its_bound_near_the_top_of_f16() {
        for bound in [1.0, 1.99, 3e-7, 0.6e30_f32] {
            let scaled = bound * scale_of(bound, Element::F16);
            assert!((8192.0..16_384.0).contains(&scaled), "{bound}: {scaled}");
        }
        assert_eq!(scale_of(0.0, Element::F16), 1.0);
        assert_eq!(scale_of(f32::INFINITY, Element::F16), 1.0);
        assert_eq!(scale_of(3.0, Element::Bf16), 1.0);
    }

    #[test]
    fn parts_have_the_order_of_the_kernels_struct() {
        let part = MatrixPart {
            from: 8,
            to: 16,
            shape: [3, 5],
            interleaved: None,
        };
        let (kernel, numbers) = narrow_each(&[part; 2], true, Element::F16, 132);
        assert_eq!(kernel.grid, (1, 2, 1));
        let unpacked: Vec<u32> = numbers
            .iter()
            .flat_map(|&pair| [pair as u32, (pair >> 32) as u32])
            .collect();
        assert_eq!(unpacked[..14], [1, 0, 8, 8, 3, 5, 8, 0, 8, 8, 3, 5, 8, 0]);
        assert_eq!(unpacked.len(), 2 + 6 * MOST_MATRICES);
    }
}
