//! Adds a bias to the rows of a matrix, in place.
//!
//! Allocating a second matrix would cost more time than the additions.

use rayon::prelude::*;

use crate::simd::{Arch, Lanes, Real, Simd, WithSimd};

/// Rows per task.
const ROWS_PER_TASK: usize = 64;

/// Adds `bias` `[C]` to every row of `matrix` `[N,C]`.
///
/// # Panics
/// If the length of `matrix` is not a multiple of the length of `bias`.
pub fn add_to_rows<E: Real>(matrix: &mut [E], bias: &[E]) {
    assert!(matrix.len().is_multiple_of(bias.len().max(1)), "whole rows");
    let arch = Arch::new();
    matrix
        .par_chunks_mut((ROWS_PER_TASK * bias.len()).max(1))
        .for_each(|rows| arch.dispatch(Add { rows, bias }));
}

struct Add<'a, E> {
    rows: &'a mut [E],
    bias: &'a [E],
}

impl<E: Real> WithSimd for Add<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let lanes = E::lanes::<S>();
        for row in self.rows.chunks_exact_mut(self.bias.len().max(1)) {
            for (values, bias) in row.chunks_mut(lanes).zip(self.bias.chunks(lanes)) {
                (Lanes::<E, S>::load(simd, values) + Lanes::load(simd, bias)).store(values);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_gets_the_bias() {
        for (rows, columns) in [(0, 3), (1, 1), (5, 17), (200, 33)] {
            let bias: Vec<f32> = (0..columns).map(|column| column as f32).collect();
            let mut matrix: Vec<f32> = (0..rows * columns).map(|at| at as f32 * 0.5).collect();
            add_to_rows(&mut matrix, &bias);
            for (at, value) in matrix.iter().enumerate() {
                assert_eq!(*value, at as f32 * 0.5 + (at % columns) as f32);
            }
        }
    }
}
