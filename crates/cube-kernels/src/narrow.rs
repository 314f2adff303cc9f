//! Matrices in f16 with a scale, as operands of tensor cores (cooperative matrices).
//!
//! Tensor cores multiply f16 matrices, not f32 ones. f16 has as many mantissa bits as TF32, but a small range. So a
//! matrix is multiplied by a power of two that brings its largest magnitude near f16's largest, and the product is
//! divided by the powers of both matrices.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; the position is compared with the length.

use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use burn_tensor::{DType, f16};
use cubecl::{calculate_cube_count_elemwise, prelude::*};

use crate::buffers::{array, empty_like, into_own_buffer};
use crate::{launches, reduce};

/// The largest magnitude of a matrix.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "exists during a call only")]
pub enum Largest<R: CubeRuntime> {
    /// A bound that the host knows.
    Within(f32),
    /// On the device, `[1]`.
    OnDevice(CubeTensor<R>),
    /// Not known; it is computed.
    Unknown,
}

/// A matrix in f16 and the inverse of its scale.
#[derive(Debug, Clone)]
pub struct Narrow<R: CubeRuntime> {
    /// The scaled values, f16.
    pub values: CubeTensor<R>,
    /// The inverse of the scale, `[1]`.
    pub inverse: CubeTensor<R>,
}

/// The exponent of the scale for a magnitude, as in the bits of an f32. Scaled magnitudes are below 2^15, and both the scale and its
/// inverse are normal numbers.
#[cube]
fn scale_exponent(largest: f32) -> u32 {
    let exponent = (u32::reinterpret(largest) >> 23) & 255u32;
    min(268u32 - exponent, 252u32)
}

#[cube(launch_unchecked)]
fn narrow_kernel(
    values: &Array<f32>,
    largest: &Array<f32>,
    narrowed: &mut Array<f16>,
    inverse: &mut Array<f32>,
    bound: f32,
    length: usize,
    #[comptime] is_bound: bool,
) {
    let position = ABSOLUTE_POS;
    if position < length {
        let mut magnitude = bound;
        if comptime!(!is_bound) {
            magnitude = largest[0];
        }
        let exponent = scale_exponent(magnitude);
        let scale = f32::reinterpret(exponent << 23);
        narrowed[position] = f16::cast_from(values[position] * scale);
        if position == 0 {
            inverse[0] = f32::reinterpret((254u32 - exponent) << 23);
        }
    }
}

#[cube(launch_unchecked)]
fn divide_kernel(values: &mut Array<f32>, left: &Array<f32>, right: &Array<f32>, length: usize) {
    let position = ABSOLUTE_POS;
    if position < length {
        // One after the other, the smaller first: their product may be too small for f32, and that of the value and the larger one
        // too large.
        let smaller = min(left[0], right[0]);
        let larger = max(left[0], right[0]);
        values[position] = values[position] * smaller * larger;
    }
}

/// Whether the device multiplies f16 matrices with f32 sums on tensor cores.
pub fn is_supported<R: CubeRuntime>(client: &ComputeClient<R>) -> bool {
    let [narrow, wide] = [
        f16::as_type_native_unchecked().storage_type(),
        f32::as_type_native_unchecked().storage_type(),
    ];
    let properties = client.properties();
    let mut shapes = properties.features.matmul.cmma.iter();
    properties.supports_type(narrow)
        && shapes.any(|shape| [shape.a_type, shape.b_type, shape.cd_type] == [narrow, narrow, wide])
}

/// Converts a matrix of f32 to f16.
///
/// # Panics
///
/// If the values are not f32.
pub fn narrow<R: CubeRuntime>(values: CubeTensor<R>, largest: Largest<R>) -> Narrow<R> {
    assert_eq!(values.dtype, DType::F32, "element type of the values");
    let values = into_contiguous(values);
    let shape = values.meta.shape().clone();
    let length = shape.num_elements();
    let narrowed = empty_like(&values, shape, DType::F16);
    let inverse = empty_like(&values, [1], DType::F32);
    let (bound, largest) = match largest {
        // The tensor is never read then.
        Largest::Within(bound) => (Some(bound), empty_like(&values, [1], DType::F32)),
        Largest::OnDevice(largest) => (None, into_contiguous(largest)),
        Largest::Unknown => (None, reduce::largest_magnitude(&values)),
    };
    let units = CubeDim::new_1d(256);
    let cubes = calculate_cube_count_elemwise(&values.client, length, units);
    launches::add(1);
    // SAFETY: values and narrowed values are contiguous and have this length, and the position is compared with it.
    // The other two have one number each.
    unsafe {
        narrow_kernel::launch_unchecked::<R>(
            &values.client,
            cubes,
            units,
            array(&values),
            array(&largest),
            array(&narrowed),
            array(&inverse),
            bound.unwrap_or(0.0),
            length,
            bound.is_some(),
        );
    }
    Narrow {
        values: narrowed,
        inverse,
    }
}

/// Divides the product of two narrow matrices by their scales.
///
/// # Panics
///
/// If the product is not f32.
pub fn unscale<R: CubeRuntime>(
    product: CubeTensor<R>,
    left_inverse: &CubeTensor<R>,
    right_inverse: &CubeTensor<R>,
) -> CubeTensor<R> {
    assert_eq!(product.dtype, DType::F32, "element type of the product");
    let product = into_own_buffer(product);
    let length = product.meta.shape().num_elements();
    let units = CubeDim::new_1d(256);
    let cubes = calculate_cube_count_elemwise(&product.client, length, units);
    launches::add(1);
    // SAFETY: the product is contiguous and no other tensor shares its buffer; the position is compared with its
    // length. The inverses have one number each.
    unsafe {
        divide_kernel::launch_unchecked::<R>(
            &product.client,
            cubes,
            units,
            array(&product),
            array(left_inverse),
            array(right_inverse),
            length,
        );
    }
    product
}
