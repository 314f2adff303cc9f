//! Operands of the large matrix multiplications (GEMM): projections of all frames, and the gradients of weights and inputs.
//!
//! A backend may want its factors prepared (rounded, scaled, laid out), and most matrices are a factor of more than one
//! product: gate gradients of three. So a matrix is first made a factor ([`crate::KernelBackend::factor`]), once, and
//! multiplications ([`crate::KernelBackend::multiply`]) are of [`MatrixView`]s of factors: all of it or a range of rows and columns,
//! as it is or transposed.

use std::ops::Range;

use burn::tensor::Tensor;
use burn::tensor::backend::Backend;
use padwise_model_config::Precision;

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

/// A factor, or a range of it, as one side of a multiplication.
#[derive(Debug, Clone)]
pub struct MatrixView<'a, F> {
    /// The whole factor.
    pub factor: &'a F,
    /// Which of its rows.
    pub rows: Option<Range<usize>>,
    /// Which of its columns.
    pub columns: Option<Range<usize>>,
    /// Whether rows and columns change places.
    pub transposed: bool,
}

impl<'a, F> MatrixView<'a, F> {
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
            rows: Some(rows),
            columns: Some(columns),
            ..Self::all(factor)
        }
    }

    /// The same view of another factor.
    pub fn of<G>(&self, factor: &'a G) -> MatrixView<'a, G> {
        MatrixView {
            factor,
            rows: self.rows.clone(),
            columns: self.columns.clone(),
            transposed: self.transposed,
        }
    }

    /// The same view transposed.
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
    /// The tensor that a view of a factor is.
    pub fn tensor(view: MatrixView<'_, Self>) -> Tensor<B, 2> {
        let mut matrix = view.factor.matrix.clone();
        let [rows, columns] = matrix.dims();
        if view.rows.is_some() || view.columns.is_some() {
            let rows = view.rows.unwrap_or(0..rows);
            matrix = matrix.slice([rows, view.columns.unwrap_or(0..columns)]);
        }
        if view.transposed {
            matrix.transpose()
        } else {
            matrix
        }
    }
}
