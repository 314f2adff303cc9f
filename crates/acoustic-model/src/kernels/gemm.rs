//! Operands of the large matrix multiplications (GEMMs): projections of all frames, and the gradients of
//! weights and inputs.
//!
//! A backend may need to prepare its operands (round, scale, transpose), and most matrices are used in more
//! than one GEMM; gate gradients are used in three. So a matrix is first converted to a factor, once
//! ([`crate::KernelBackend::factor`]). A multiplication ([`crate::KernelBackend::multiply`]) then takes
//! [`MatrixView`]s of factors: all of a factor or a range of rows and columns, optionally transposed.

use std::ops::Range;

use burn_tensor::Tensor;
use burn_tensor::backend::Backend;
use padwise_model_config::Precision;

use super::KernelBackend;
use super::recurrence::GateOrder;

/// A bound on the magnitudes in a matrix, for backends that scale their operands.
#[derive(Debug, Clone)]
pub enum Bound<B: Backend> {
    /// No magnitude exceeds this.
    Within(f64),
    /// The largest magnitude, on the device, `[1]`.
    Largest(Tensor<B, 1>),
    /// No bound is known.
    Unknown,
}

/// A matrix that multiplications need. The kernel that computed it may have made it a factor already.
#[derive(Debug, Clone)]
pub enum Operand<B: KernelBackend> {
    /// The matrix, and a bound on its magnitudes.
    Matrix(Tensor<B, 2>, Bound<B>),
    /// The matrix as a factor.
    Factor(B::Factor),
}

impl<B: KernelBackend> Operand<B> {
    /// The matrix as a factor.
    pub fn into_factor(self, precision: Precision) -> B::Factor {
        match self {
            Self::Matrix(matrix, bound) => B::factor(matrix, bound, precision),
            Self::Factor(factor) => factor,
        }
    }
}

/// The gradient of the rows of a matrix, for the gradients of what it was computed from.
#[derive(Debug, Clone)]
pub struct RowGradients<B: KernelBackend> {
    /// The gradient, `[N, W]`; zero at padding.
    pub all: Operand<B>,
    /// A matrix with the same column sums, `[S, W]`: partial sums over rows if the backend has them, else the gradient.
    pub partial_sums: Tensor<B, 2>,
    /// What the kernel read and nobody needs any more. Keep it until memory use has been measured.
    pub source: Option<Tensor<B, 2>>,
}

impl<B: KernelBackend> RowGradients<B> {
    /// A gradient with this bound on its magnitudes.
    pub fn new(gradient: Tensor<B, 2>, bound: Bound<B>) -> Self {
        Self {
            partial_sums: gradient.clone(),
            all: Operand::Matrix(gradient, bound),
            source: None,
        }
    }
}

/// A product of two matrices.
#[derive(Debug, Clone)]
pub struct Product<B: Backend> {
    /// The product.
    pub values: Tensor<B, 2>,
    /// About the largest magnitude, `[1]`, if the multiplication found it. Only a hint for scales.
    pub magnitude: Option<Tensor<B, 1>>,
}

impl<B: Backend> From<Tensor<B, 2>> for Product<B> {
    fn from(values: Tensor<B, 2>) -> Self {
        Self {
            values,
            magnitude: None,
        }
    }
}

/// A matrix in a vector, row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixAt {
    /// The index of its first value.
    pub at: usize,
    /// Rows and columns.
    pub shape: [usize; 2],
    /// The order of the factor's rows, if they are the gates of a layer.
    pub gates: GateOrder,
}

impl MatrixAt {
    /// The matrix as a factor, with its rows as they are.
    pub fn factor<B: KernelBackend>(
        self,
        vector: &Tensor<B, 1>,
        precision: Precision,
    ) -> B::Factor {
        assert_eq!(
            self.gates,
            GateOrder::ByGate,
            "this backend cannot interleave gates"
        );
        let [rows, columns] = self.shape;
        let values = B::part(vector, self.at..self.at + rows * columns);
        B::factor(values.reshape(self.shape), Bound::Unknown, precision)
    }
}

/// A view of a factor: one operand of a multiplication.
#[derive(Debug, Clone)]
pub struct MatrixView<'a, F> {
    /// The whole factor.
    pub factor: &'a F,
    /// The range of rows; `None` for all.
    pub rows: Option<Range<usize>>,
    /// The range of columns; `None` for all.
    pub columns: Option<Range<usize>>,
    /// Whether the view is transposed.
    pub transposed: bool,
}

impl<'a, F> MatrixView<'a, F> {
    /// A view of the whole factor.
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
    /// The precision of the multiplication.
    pub precision: Precision,
}

impl<B: Backend> PlainFactor<B> {
    /// The tensor of a view.
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
