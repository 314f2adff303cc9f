//! Small auxiliary kernels: uploads to the device and column sums.

use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cuda::CudaDevice;
use burn_tensor::DType;
use cubecl::Runtime;
use cubecl::cuda::CudaRuntime;
use padwise_cube_kernels::buffers::empty_like;
use padwise_cuda_kernels::sums::{column_sums as plan_column_sums, sum_slices};
use padwise_cuda_kernels::upload;

use super::device::{CudaTensor, multiprocessors};
use super::raw::{launch, launch_with_data};

/// Up to this many rows are summed in one launch. More rows take two, which use the whole device.
const FEW_ROWS: usize = 256;

/// Writes the sum of each column into `sums`, `copies` times in a row.
pub(super) fn column_sums(matrix: CudaTensor, copies: usize, sums: &CudaTensor) {
    let matrix = into_contiguous(matrix);
    let [rows, columns] = matrix.meta.shape().dims::<2>();
    let sms = multiprocessors(&matrix.client);
    if rows <= FEW_ROWS {
        let (kernel, numbers) = sum_slices(columns, rows, copies, sms);
        launch(kernel, &[&matrix, sums], numbers);
        return;
    }
    let plan = plan_column_sums([rows, columns], sms);
    let slices = empty_like(&matrix, [plan.slices, columns], DType::F32);
    launch(plan.kernel, &[&matrix, &slices], plan.numbers);
    let (kernel, numbers) = sum_slices(columns, plan.slices, copies, sms);
    launch(kernel, &[&slices, sums], numbers);
}

/// Uploads 32-bit numbers from the host into a tensor, without waiting for the device.
pub(super) fn upload(
    numbers: &[u32],
    shape: &[usize],
    dtype: DType,
    device: &CudaDevice,
) -> CudaTensor {
    let client = CudaRuntime::client(device);
    let kernel = upload::kernel(numbers.len(), multiprocessors(&client));
    let found = empty_device_contiguous_dtype(client, device.clone(), shape.into(), dtype);
    launch_with_data(kernel, &[&found], upload::data(numbers));
    found
}
