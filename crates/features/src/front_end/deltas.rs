//! Delta features.
//!
//! First-order deltas are the slope of a regression line through a frame and its neighbours. Each further order applies
//! the same filter again. As in Kaldi, the filters are convolved with each other first, so every order sees the same
//! repeated first and last frame beyond the ends.

use super::config::Deltas;
use crate::matrix::Matrix;

/// One filter per order, including order 0, the static features.
#[derive(Clone, Debug)]
pub(super) struct DeltaFilters {
    filters: Vec<Vec<f32>>,
}

impl DeltaFilters {
    pub fn new(deltas: Deltas) -> Self {
        let reach = i64::from(deltas.window);
        let norm: i64 = (-reach..=reach).map(|j| j * j).sum();
        let slope: Vec<f64> = (-reach..=reach).map(|j| j as f64 / norm as f64).collect();
        let mut filters = vec![vec![1.0]];
        for order in 0..deltas.order as usize {
            filters.push(convolved(&filters[order], &slope));
        }
        let single = |filter: Vec<f64>| filter.into_iter().map(|w| w as f32).collect();
        DeltaFilters {
            filters: filters.into_iter().map(single).collect(),
        }
    }

    /// By how much the number of dimensions grows.
    pub fn factor(&self) -> usize {
        self.filters.len()
    }

    pub fn apply(&self, features: &Matrix) -> Matrix {
        let (frames, dims) = (features.rows(), features.cols());
        let mut out = Matrix::zeros(frames, dims * self.factor());
        for t in 0..frames {
            let row = out.row_mut(t);
            for (filter, part) in self.filters.iter().zip(row.chunks_exact_mut(dims)) {
                let reach = filter.len() / 2;
                for (j, &weight) in filter.iter().enumerate().filter(|(_, w)| **w != 0.0) {
                    let neighbour = (t + j).saturating_sub(reach).min(frames - 1);
                    for (out, value) in part.iter_mut().zip(features.row(neighbour)) {
                        *out += weight * value;
                    }
                }
            }
        }
        out
    }
}

fn convolved(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] += x * y;
        }
    }
    out
}
