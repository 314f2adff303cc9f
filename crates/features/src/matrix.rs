//! A matrix of features.

/// Features of an utterance: `rows` frames of `cols` values, stored row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f32>,
}

impl Matrix {
    /// Builds a matrix with `cols` values per row. An incomplete last row is dropped.
    pub fn from_rows(cols: usize, mut data: Vec<f32>) -> Self {
        let rows = data.len().checked_div(cols).unwrap_or(0);
        data.truncate(rows * cols);
        Matrix { rows, cols, data }
    }

    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Matrix {
            rows,
            cols,
            data: vec![0.0; rows * cols],
        }
    }

    /// Number of frames.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of dimensions.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All values, row by row.
    pub fn as_slice(&self) -> &[f32] {
        &self.data
    }

    /// All values, row by row, mutable.
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        &mut self.data
    }

    /// One frame.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.data[row * self.cols..(row + 1) * self.cols]
    }

    /// One frame, mutable.
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.data[row * self.cols..(row + 1) * self.cols]
    }
}
