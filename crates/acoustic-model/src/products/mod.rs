//! The large products: projections of all frames, and the gradients of weights and inputs.
//!
//! A backend may want its factors prepared (rounded, scaled, laid out), and most matrices are a factor of more than one
//! product: gate gradients of three. So a matrix is first made a factor ([`crate::KernelBackend::factor`]), once, and
//! products ([`crate::KernelBackend::product`]) are of [`Part`]s of factors: all of it or a range of rows and columns, as it is
//! or transposed.

#[cfg(feature = "cuda")]
pub(crate) mod hopper;

use std::ops::Range;

use burn::prelude::*;

use crate::Precision;

/// What is known of the magnitudes in a matrix, for backends that scale their factors.
#[derive(Debug, Clone)]
pub enum Bound<B: Backend> {
    /// None is above this.
    Within(f64),
    /// The largest, on the device, `[1]`.
    Largest(Tensor<B, 1>),
    /// Nothing.
    Unknown,
}

/// A factor, or a range of it, as one side of a product.
#[derive(Debug, Clone)]
pub struct Part<'a, F> {
    /// The whole factor.
    pub factor: &'a F,
    /// Which of its rows.
    pub rows: Option<Range<usize>>,
    /// Which of its columns.
    pub columns: Option<Range<usize>>,
    /// Whether rows and columns change places in the product.
    pub transposed: bool,
}

impl<'a, F> Part<'a, F> {
    /// All of a factor.
    pub fn all(factor: &'a F) -> Self {
        Self {
            factor,
            rows: None,
            columns: None,
            transposed: false,
        }
    }

    /// A range of rows and a range of columns.
    pub fn range(factor: &'a F, rows: Range<usize>, columns: Range<usize>) -> Self {
        Self {
            factor,
            rows: Some(rows),
            columns: Some(columns),
            transposed: false,
        }
    }

    /// The same part of another factor.
    pub fn of<G>(&self, factor: &'a G) -> Part<'a, G> {
        Part {
            factor,
            rows: self.rows.clone(),
            columns: self.columns.clone(),
            transposed: self.transposed,
        }
    }

    /// The same part transposed.
    pub fn transposed(self) -> Self {
        Self {
            transposed: !self.transposed,
            ..self
        }
    }
}

/// A factor that needs no preparation.
#[derive(Debug, Clone)]
pub struct PlainFactor<B: Backend> {
    /// The matrix.
    pub matrix: Tensor<B, 2>,
    /// In which arithmetic it is to be multiplied.
    pub precision: Precision,
}

impl<B: Backend> PlainFactor<B> {
    /// The tensor that a part of a factor is.
    pub fn part(part: Part<'_, Self>) -> Tensor<B, 2> {
        let mut matrix = part.factor.matrix.clone();
        let [rows, columns] = matrix.dims();
        if part.rows.is_some() || part.columns.is_some() {
            let rows = part.rows.unwrap_or(0..rows);
            matrix = matrix.slice([rows, part.columns.unwrap_or(0..columns)]);
        }
        if part.transposed {
            matrix.transpose()
        } else {
            matrix
        }
    }
}
