//! Neighbouring frames side by side.

use super::config::Splice;
use crate::matrix::Matrix;

/// From `left` frames before each to `right` after it; the first and the last frame stand for what is beyond them.
pub(super) fn splice(features: &Matrix, splice: Splice) -> Matrix {
    let (frames, dims) = (features.rows(), features.cols());
    let (left, right) = (splice.left as usize, splice.right as usize);
    let mut data = Vec::with_capacity(frames * dims * (left + 1 + right));
    for t in 0..frames {
        for j in 0..left + 1 + right {
            let neighbour = (t + j).saturating_sub(left).min(frames - 1);
            data.extend_from_slice(features.row(neighbour));
        }
    }
    Matrix::from_rows(dims * (left + 1 + right), data)
}
