//! Matrix products of views: ranges of rows and columns, optionally transposed, without copying them.
//!
//! The `gemm` crate divides the result among threads, but not the depth. It adds up the depth in parts that depend on the shape and the
//! processor's caches. The result therefore does not depend on the number of threads.

use std::ops::Range;

use rayon::prelude::*;

/// A view of a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// A matrix of rows that follow each other.
    ///
    /// # Panics
    /// If there are not `rows · columns` values.
    pub fn new(values: &'a [f32], rows: usize, columns: usize) -> Self {
        assert_eq!(values.len(), rows * columns, "values of the matrix");
        Self {
            values,
            rows,
            columns,
            row_stride: columns,
            column_stride: 1,
        }
    }

    /// A range of rows and a range of columns.
    ///
    /// # Panics
    /// If the matrix does not have them.
    pub fn range(self, rows: Range<usize>, columns: Range<usize>) -> Self {
        assert!(
            rows.start <= rows.end && rows.end <= self.rows,
            "{rows:?} of {} rows",
            self.rows
        );
        assert!(
            columns.start <= columns.end && columns.end <= self.columns,
            "{columns:?} of {} columns",
            self.columns
        );
        let first = rows.start * self.row_stride + columns.start * self.column_stride;
        Self {
            values: self.values.get(first..).unwrap_or_default(),
            rows: rows.len(),
            columns: columns.len(),
            ..self
        }
    }

    /// The matrix transposed.
    pub fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }

    /// Rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    /// Whether all values of the view are in its slice.
    fn is_within(&self) -> bool {
        let last = |count: usize, stride: usize| count.saturating_sub(1) * stride;
        self.rows == 0
            || self.columns == 0
            || last(self.rows, self.row_stride) + last(self.columns, self.column_stride)
                < self.values.len()
    }
}

/// The product of two matrices, its rows one after the other.
///
/// # Panics
/// If the left matrix does not have as many columns as the right one has rows.
pub fn multiply(lhs: Matrix<'_>, rhs: Matrix<'_>) -> Vec<f32> {
    assert_eq!(
        lhs.columns, rhs.rows,
        "columns of the left, rows of the right factor"
    );
    assert!(lhs.is_within() && rhs.is_within(), "values of the factors");
    let (rows, depth, columns) = (lhs.rows, lhs.columns, rhs.columns);
    if depth == 0 {
        return vec![0.0; rows * columns];
    }
    let mut product: Vec<f32> = Vec::with_capacity(rows * columns);
    let stride = |stride: usize| stride as isize;
    // If the left factor is transposed and the larger one, a result in columns was up to 1.6 times faster, and never slower beyond
    // noise. Probably `gemm` copies one factor in narrow strips, which is slow across rows.
    let in_columns = lhs.row_stride == 1 && rows > columns;
    let (column_stride, row_stride) = if in_columns { (rows, 1) } else { (1, columns) };
    #[allow(unsafe_code)]
    // SAFETY: `gemm` reads the two factors at multiples of the given strides, all inside their slices (asserted above). It writes
    // rows × columns values, for which there is room, and does not read them, because `read_dst` is false. With a depth above 0 it
    // writes all of them. Zeros to overwrite would cost as much as a tenth of the product.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            depth,
            product.as_mut_ptr(),
            stride(column_stride),
            stride(row_stride),
            false,
            lhs.values.as_ptr(),
            stride(lhs.column_stride),
            stride(lhs.row_stride),
            rhs.values.as_ptr(),
            stride(rhs.column_stride),
            stride(rhs.row_stride),
            0.0,
            1.0,
            false,
            false,
            false,
            // All threads of the pool.
            gemm::Parallelism::Rayon(0),
        );
        product.set_len(rows * columns);
    }
    if in_columns {
        in_rows(&product, rows, columns)
    } else {
        product
    }
}

/// Rearranges a matrix whose columns follow each other, so that its rows do.
fn in_rows(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    /// The floats of a cache line.
    const LINE: usize = 16;
    let mut turned = vec![0.0; values.len()];
    let blocks = turned.par_chunks_mut((LINE * columns).max(1));
    blocks.enumerate().for_each(|(block, turned)| {
        let first = block * LINE;
        for column in 0..columns {
            let own = &values[column * rows + first..(column + 1) * rows];
            for (row, &value) in turned.chunks_exact_mut(columns).zip(own) {
                row[column] = value;
            }
        }
    });
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(count: usize, seed: usize) -> Vec<f32> {
        let value = |at: usize| ((at * 31 + seed * 17) % 23) as f32 * 0.25 - 2.5;
        (0..count).map(value).collect()
    }

    fn at(matrix: &Matrix<'_>, row: usize, column: usize) -> f64 {
        f64::from(matrix.values[row * matrix.row_stride + column * matrix.column_stride])
    }

    fn check(lhs: Matrix<'_>, rhs: Matrix<'_>) {
        let found = multiply(lhs, rhs);
        let ([rows, depth], [_, columns]) = (lhs.shape(), rhs.shape());
        assert_eq!(found.len(), rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                let products = (0..depth).map(|k| at(&lhs, row, k) * at(&rhs, k, column));
                let expected: f64 = products.sum();
                let found = f64::from(found[row * columns + column]);
                assert!(
                    (found - expected).abs() <= 1e-4 * (1.0 + expected.abs()),
                    "[{row}, {column}] of {rows}x{depth}x{columns}: {found}, not {expected}"
                );
            }
        }
    }

    #[test]
    fn products_of_views_are_right() {
        for (rows, depth, columns) in [
            (1, 1, 1),
            (3, 5, 7),
            (33, 16, 20),
            (150, 40, 17),
            (8, 300, 3),
            // Transposed, the left factor is the larger one.
            (7, 40, 60),
        ] {
            let (left, right) = (values(rows * depth, 1), values(depth * columns, 2));
            let (lhs, rhs) = (
                Matrix::new(&left, rows, depth),
                Matrix::new(&right, depth, columns),
            );
            check(lhs, rhs);
            check(rhs.transposed(), lhs.transposed());
            let (part, some) = (rows / 3..rows, depth / 2..depth);
            check(
                lhs.range(part.clone(), some.clone()),
                rhs.range(some, columns / 2..columns),
            );
            check(
                lhs.range(part, 0..depth).transposed(),
                lhs.range(rows / 3..rows, 0..depth),
            );
        }
    }

    #[test]
    fn empty_products_are_empty_or_zero() {
        let none = Matrix::new(&[], 0, 4);
        let some = values(12, 3);
        assert!(multiply(none, Matrix::new(&some, 4, 3)).is_empty());
        let no_depth = Matrix::new(&[], 3, 0);
        assert_eq!(multiply(no_depth, Matrix::new(&[], 0, 2)), [0.0; 6]);
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        // The shapes of a step: projections, and gradients of inputs and weights. All are large enough for several threads.
        for (rows, depth, columns) in [
            (600, 64, 256),
            (600, 256, 40),
            (256, 1300, 48),
            (70, 3000, 33),
        ] {
            let (left, right) = (values(rows * depth, 1), values(depth * columns, 2));
            let product = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                pool.expect("a pool").install(|| {
                    let lhs = Matrix::new(&left, depth, rows).transposed();
                    let lhs = [lhs, Matrix::new(&left, rows, depth)];
                    lhs.map(|lhs| multiply(lhs, Matrix::new(&right, depth, columns)))
                })
            };
            let one = product(1);
            for threads in [2, 3, 8] {
                assert_eq!(product(threads), one, "{rows}x{depth}x{columns}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "rows")]
    fn a_range_outside_the_matrix_is_refused() {
        let some = values(12, 3);
        let _ = Matrix::new(&some, 4, 3).range(2..5, 0..3);
    }
}
