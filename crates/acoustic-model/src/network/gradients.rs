//! The gradient of all parameters: one vector, filled while the backward pass runs.
//!
//! Backends write weight gradients directly into it. Collecting them and copying them together would read and
//! write all parameters once more in every step.

use burn_tensor::Tensor;

use crate::kernels::KernelBackend;
use crate::kernels::gemm::MatrixView;

/// The gradients so far. The last parameter comes first, because backpropagation begins at the top.
#[derive(Debug)]
pub struct Gradients<B: KernelBackend> {
    all: Tensor<B, 1>,
    missing: usize,
}

impl<B: KernelBackend> Gradients<B> {
    /// Room for the gradients of so many parameters, with the device and type of another tensor.
    pub fn new<const D: usize>(parameters: usize, like: &Tensor<B, D>) -> Self {
        Self {
            all: Tensor::empty([parameters], (&like.device(), like.dtype())),
            missing: parameters,
        }
    }

    /// Puts zeros before what is there.
    pub fn put_zeros(&mut self, count: usize) {
        let at = self.before(count);
        let zeros = Tensor::zeros([count], (&self.all.device(), self.all.dtype()));
        B::overwrite(&mut self.all, at, zeros);
    }

    /// Puts a product of this many numbers before what is there.
    pub fn put_product(
        &mut self,
        count: usize,
        lhs: MatrixView<'_, B::Factor>,
        rhs: MatrixView<'_, B::Factor>,
    ) {
        let at = self.before(count);
        B::multiply_into(lhs, rhs, &mut self.all, at);
    }

    /// Puts two products of this shape before what is there, one after the other.
    pub fn put_products(&mut self, shape: [usize; 2], pairs: [[MatrixView<'_, B::Factor>; 2]; 2]) {
        let at = self.before(2 * shape[0] * shape[1]);
        B::multiply_both_into(pairs, shape, &mut self.all, at);
    }

    /// Puts the sum of each column before what is there, `copies` times.
    pub fn put_column_sums(&mut self, matrix: Tensor<B, 2>, copies: usize) {
        let [_, columns] = matrix.dims();
        let at = self.before(copies * columns);
        B::column_sums_into(matrix, copies, &mut self.all, at);
    }

    /// The gradient of all parameters.
    pub fn finish(self) -> Tensor<B, 1> {
        assert_eq!(self.missing, 0, "parameters without a gradient");
        self.all
    }

    fn before(&mut self, count: usize) -> usize {
        self.missing = self
            .missing
            .checked_sub(count)
            .expect("more gradients than parameters");
        self.missing
    }
}
