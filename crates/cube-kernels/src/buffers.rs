//! Tensors as plain buffers: contiguous, of a known type, and safe to overwrite.

use burn_cubecl::{
    CubeRuntime,
    kernel::into_contiguous,
    ops::{
        numeric::{empty_device_contiguous_dtype, zeros_client},
        reshape,
    },
    tensor::CubeTensor,
};
use burn_tensor::{DType, Shape};
use cubecl::prelude::ArrayArg;

/// An uninitialised contiguous tensor on the device of `like`.
pub fn empty_like<R: CubeRuntime>(
    like: &CubeTensor<R>,
    shape: impl Into<Shape>,
    dtype: DType,
) -> CubeTensor<R> {
    empty_device_contiguous_dtype(
        like.client.clone(),
        like.device.clone(),
        shape.into(),
        dtype,
    )
}

/// A contiguous tensor of zeros on the device of `like`.
pub fn zeros_like<R: CubeRuntime>(
    like: &CubeTensor<R>,
    shape: impl Into<Shape>,
    dtype: DType,
) -> CubeTensor<R> {
    let shape = shape.into();
    let (client, device) = (like.client.clone(), like.device.clone());
    // CUDA gives matrices rows with a gap between them, but not vectors.
    let flat = zeros_client(client, device, [shape.num_elements()].into(), dtype);
    reshape(flat, shape)
}

/// Returns the values in a contiguous buffer that no other tensor shares.
///
/// Copies only if the tensor is not contiguous or its buffer is shared. A caller that passes an intermediate
/// result by value avoids the copy.
pub fn into_own_buffer<R: CubeRuntime>(tensor: CubeTensor<R>) -> CubeTensor<R> {
    let tensor = into_contiguous(tensor);
    if tensor.can_mut() {
        return tensor;
    }
    let copy = empty_like(&tensor, tensor.meta.shape().clone(), tensor.dtype);
    let (client, dtype) = (tensor.client.clone(), tensor.dtype);
    cubecl::std::tensor::copy_into(
        &client,
        tensor.binding(),
        copy.clone().binding(),
        dtype.into(),
    );
    copy
}

/// Passes a whole contiguous tensor as a kernel argument.
pub fn array<R: CubeRuntime>(tensor: &CubeTensor<R>) -> ArrayArg<R> {
    tensor.clone().into_array_arg()
}
