//! Reads the operands of matrix multiplications.

use burn_tensor::Tensor;
use padwise_model::kernels::gemm::{Bound, MatrixView, Operand};
use padwise_model::{KernelBackend, Precision};

use super::{numbers, on_device};

/// The numbers of an operand of multiplications.
pub fn values<B: KernelBackend>(
    operand: Operand<B>,
    columns: usize,
    precision: Precision,
    device: &B::Device,
) -> Vec<f64> {
    match operand {
        Operand::Matrix(matrix, _) => numbers(matrix),
        // A factor can only be multiplied, here by the identity, 64 columns at a time.
        Operand::Factor(factor) => {
            let mut identity = vec![0.0; 64 * 64];
            identity.iter_mut().step_by(65).for_each(|one| *one = 1.0);
            let identity = on_device(&identity, [64, 64], device);
            let identity = B::factor(identity, Bound::Within(1.0), precision);
            let part = |first: usize| {
                let end = columns.min(first + 64);
                let mut left = MatrixView::all(&factor);
                left.columns = Some(first..end);
                let right = MatrixView::range(&identity, 0..end - first, 0..end - first);
                B::multiply(left, right)
            };
            let parts = (0..columns).step_by(64).map(part).collect();
            numbers(Tensor::cat(parts, 1))
        }
    }
}

/// A matrix that was requested as such.
pub fn matrix<B: KernelBackend>(operand: Operand<B>) -> Tensor<B, 2> {
    match operand {
        Operand::Matrix(matrix, _) => matrix,
        Operand::Factor(_) => panic!("a factor instead of a matrix"),
    }
}
