//! Concatenation of neighbouring frames.

use super::config::Splice;
use crate::matrix::Matrix;

/// Concatenates `left` frames before each frame and `right` after it. The first and last frame are repeated beyond the
/// ends.
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
