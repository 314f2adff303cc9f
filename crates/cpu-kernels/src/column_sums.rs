//! Column sums of a matrix on the CPU: the gradient of a bias.
//!
//! Blocks of rows are summed in parallel, then the block sums are added in order. The blocks do not depend on
//! the number of threads, so neither does the result.

use rayon::prelude::*;

use crate::simd::{Arch, Lanes, Real, Simd, WithSimd};

/// Rows per task.
const ROWS_PER_TASK: usize = 256;

/// Returns the sum of each column of `matrix` `[N,C]`.
///
/// # Panics
/// If `columns` is zero.
pub fn column_sums<E: Real>(columns: usize, matrix: &[E]) -> Vec<E> {
    let arch = Arch::new();
    let blocks: Vec<Vec<E>> = matrix
        .par_chunks(ROWS_PER_TASK * columns)
        .map(|rows| {
            let mut sums = vec![E::default(); columns];
            arch.dispatch(AddRows {
                rows,
                sums: &mut sums,
            });
            sums
        })
        .collect();
    let mut total = vec![E::default(); columns];
    for block in &blocks {
        arch.dispatch(AddRows {
            rows: block,
            sums: &mut total,
        });
    }
    total
}

struct AddRows<'a, E> {
    rows: &'a [E],
    sums: &'a mut [E],
}

impl<E: Real> WithSimd for AddRows<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = E::lanes::<S>();
        for row in self.rows.chunks_exact(self.sums.len()) {
            for (sums, values) in self.sums.chunks_mut(lanes).zip(row.chunks(lanes)) {
                (Lanes::<E, S>::load(simd, sums) + Lanes::load(simd, values)).store(sums);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_every_column_once() {
        let sizes = [(0, 3), (1, 1), (5, 20), (3 * ROWS_PER_TASK + 7, 33)];
        let tested = if cfg!(miri) { 3 } else { sizes.len() };
        for (rows, columns) in sizes.into_iter().take(tested) {
            let matrix: Vec<f32> = (0..rows * columns).map(|i| (i % 11) as f32).collect();
            let mut expected = vec![0.0; columns];
            for row in matrix.chunks_exact(columns) {
                expected.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            }
            assert_eq!(column_sums(columns, &matrix), expected);
        }
    }
}
