//! Masked cross-entropy in one pass over the scores. See [`padwise_cuda_kernels::cross_entropy`].

use burn_cubecl::kernel::into_contiguous;
use burn_tensor::DType;
use padwise_cube_kernels::buffers::empty_like;
use padwise_cuda_kernels::cross_entropy::CrossEntropy;
use padwise_cuda_kernels::gemm::Element;
use padwise_cuda_kernels::sums::sum_slices;

use super::device::{CudaTensor, multiprocessors};
use super::factor::NarrowFactor;
use super::raw::launch;

/// Losses and gradient of a matrix of scores.
pub(super) struct FrameLoss {
    /// The sum of the losses, and the number of wrong rows.
    pub values: CudaTensor,
    /// The gradient.
    pub gradient: NarrowFactor,
    /// Its sums over parts of the rows.
    pub partial_sums: CudaTensor,
}

/// The losses of scores `[N, C]` and the gradient of `share` times their sum; `None` if there are too many classes.
pub(super) fn cross_entropy(
    scores: CudaTensor,
    labels: CudaTensor,
    share: f64,
    element: Element,
) -> Option<FrameLoss> {
    let [scores, labels] = [scores, labels].map(into_contiguous);
    let shape = scores.meta.shape().dims::<2>();
    let [rows, classes] = shape;
    assert_eq!(labels.meta.shape().dims::<1>(), [rows], "one label per row");
    let sms = multiprocessors(&scores.client);
    let plan = CrossEntropy::new(shape, share as f32, element, sms)?;
    let gradient = NarrowFactor::room(&scores, shape, element);
    let partial_sums = empty_like(&scores, [plan.blocks, classes], DType::F32);
    let losses = empty_like(&scores, [plan.blocks, 2], DType::F32);
    let [values, inverse] = gradient.buffers();
    let buffers = [&scores, &labels, values, &partial_sums, &losses, inverse];
    launch(plan.kernel, &buffers, plan.numbers);
    let values = empty_like(&scores, [2], DType::F32);
    let (kernel, numbers) = sum_slices(2, plan.blocks, 1, sms);
    launch(kernel, &[&losses, &values], numbers);
    Some(FrameLoss {
        values,
        gradient,
        partial_sums,
    })
}
