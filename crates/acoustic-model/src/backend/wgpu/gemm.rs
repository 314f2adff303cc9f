//! GEMM operands of the wgpu backend: in f16 with a scale where the adapter has cooperative matrices (tensor cores), else unchanged.
//!
//! burn multiplies f16 matrices on cooperative matrices, with f32 sums. See [`padwise_cube_kernels::narrow`].

use std::sync::OnceLock;

use burn_tensor::{Tensor, TensorData, TensorPrimitive};
use cubecl::Runtime;
use cubecl::wgpu::{WgpuDevice, WgpuRuntime};
use padwise_cube_kernels::narrow::{self, Largest};
use padwise_model_config::Precision;

use super::{Wgpu, device};
use crate::KernelBackend;
use crate::kernels::gemm::{Bound, MatrixView, PlainFactor};

/// A matrix prepared for multiplication.
#[derive(Debug, Clone)]
pub struct WgpuFactor {
    /// The matrix, in f16 or unchanged.
    plain: PlainFactor<Wgpu>,
    /// The inverse of the scale of an f16 matrix, `[1]`.
    inverse: Option<Tensor<Wgpu, 1>>,
}

/// Whether the default adapter has cooperative matrices for f16 with f32 sums, and multiplies correctly with them. Only NVIDIA's
/// driver was tested, so the first call tries.
pub fn has_cooperative_matrices() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    let Ok(device) = device() else {
        return false;
    };
    *HAS.get_or_init(|| {
        if !narrow::is_supported(&WgpuRuntime::client(&device)) {
            return false;
        }
        let is_right = multiplies_integers(&device);
        if !is_right {
            tracing::warn!("the GPU multiplies f16 matrices incorrectly, so f32 is used");
        }
        is_right
    })
}

/// Multiplies small integers, whose products and sums are exact, and compares the result with the host's.
fn multiplies_integers(device: &WgpuDevice) -> bool {
    const SIZE: usize = 256;
    let [left, right] = [5, 11].map(|by| -> Vec<f32> {
        let value = |at| (at * by % 7) as f32 - 3.0;
        (0..SIZE * SIZE).map(value).collect()
    });
    let [a, b] = [&left, &right].map(|values| {
        let matrix = TensorData::new(values.clone(), [SIZE, SIZE]);
        WgpuFactor::narrow(Tensor::from_data(matrix, device), Bound::Unknown)
    });
    let product = Wgpu::multiply(MatrixView::all(&a), MatrixView::all(&b));
    let found = product.try_into_data().ok();
    let Some(found) = found.and_then(|data| data.into_vec::<f32>().ok()) else {
        return false;
    };
    found.iter().enumerate().all(|(at, &found)| {
        let row = &left[at / SIZE * SIZE..][..SIZE];
        let column = right[at % SIZE..].iter().step_by(SIZE);
        found == row.iter().zip(column).map(|(a, b)| a * b).sum::<f32>()
    })
}

impl WgpuFactor {
    /// Prepares a matrix.
    pub(super) fn new(matrix: Tensor<Wgpu, 2>, bound: Bound<Wgpu>, precision: Precision) -> Self {
        if precision == Precision::F32 && has_cooperative_matrices() {
            return Self::narrow(matrix, bound);
        }
        Self {
            plain: PlainFactor { matrix, precision },
            inverse: None,
        }
    }

    /// Converts a matrix to f16.
    fn narrow(matrix: Tensor<Wgpu, 2>, bound: Bound<Wgpu>) -> Self {
        let largest = match bound {
            Bound::Within(bound) => Largest::Within(bound as f32),
            Bound::Largest(largest) => Largest::OnDevice(largest.into_primitive().tensor()),
            Bound::Unknown => Largest::Unknown,
        };
        let found = narrow::narrow(matrix.into_primitive().tensor(), largest);
        let plain = PlainFactor {
            matrix: Tensor::from_primitive(TensorPrimitive::Float(found.values)),
            precision: Precision::F32,
        };
        Self {
            plain,
            inverse: Some(Tensor::from_primitive(TensorPrimitive::Float(
                found.inverse,
            ))),
        }
    }

    /// The matrix, which still has its scale.
    pub(super) fn plain(&self) -> &PlainFactor<Wgpu> {
        &self.plain
    }

    /// Divides the product with another factor by the scales of both.
    pub(super) fn unscaled(&self, other: &Self, product: Tensor<Wgpu, 2>) -> Tensor<Wgpu, 2> {
        let (own, others) = match (&self.inverse, &other.inverse) {
            (Some(own), Some(others)) => (own, others),
            (None, None) => return product,
            // All factors of a device and precision have the same kind.
            _ => unreachable!("factors of different kinds"),
        };
        let [own, others] = [own, others].map(|inverse| inverse.clone().into_primitive().tensor());
        let product = narrow::unscale(product.into_primitive().tensor(), &own, &others);
        Tensor::from_primitive(TensorPrimitive::Float(product))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adapters without cooperative matrices multiply f16 matrices, too; lavapipe does.
    #[test]
    fn narrow_products_are_right() {
        let device = device().expect("a device");
        assert!(multiplies_integers(&device));
        // More values than one cube reduces, of which the largest magnitude is negative and near the end.
        let (m, n, k) = (300, 24, 70);
        let values = |count: usize, size: f32, by: usize| -> Vec<f32> {
            let value = |at| ((at * by % 101) as f32 / 200.0 - 0.25) * size;
            let mut values: Vec<f32> = (0..count).map(value).collect();
            values[count - 2] = -size;
            values
        };
        for sizes in [
            [1.0, 1.0],
            [1e-20, 1e-12],
            [1e6, 1e-3],
            [3e38, 1e-37],
            [0.0, 1.0],
        ] {
            let (left, right) = (values(m * k, sizes[0], 37), values(k * n, sizes[1], 59));
            let tensor = |values: &[f32], shape| {
                Tensor::<Wgpu, 2>::from_data(TensorData::new(values.to_vec(), shape), &device)
            };
            let a = WgpuFactor::narrow(tensor(&left, [m, k]), Bound::Unknown);
            let within = Bound::Within(f64::from(sizes[1]));
            let b = WgpuFactor::narrow(tensor(&right, [k, n]), within);
            let found = Wgpu::multiply(MatrixView::all(&a), MatrixView::all(&b));
            let found: Vec<f32> = found.into_data().to_vec().expect("f32");
            let largest = k as f64 * f64::from(sizes[0]) * f64::from(sizes[1]);
            for (at, &found) in found.iter().enumerate() {
                let terms = (0..k)
                    .map(|i| f64::from(left[at / n * k + i]) * f64::from(right[i * n + at % n]));
                let expected: f64 = terms.sum();
                let error = (f64::from(found) - expected).abs();
                assert!(
                    error <= 2e-5 * largest,
                    "{found} instead of {expected} at {at}, {sizes:?}"
                );
            }
        }
    }
}
