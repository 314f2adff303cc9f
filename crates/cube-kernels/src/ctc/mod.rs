//! The CTC forward-backward algorithm, for any CubeCL device.
//!
//! There are two kernels. `walk` runs through the frames and fills a table for each direction; `gradient`
//! combines the tables. The backward direction is the forward direction of the reversed sequence, so both
//! tables include a frame's own emission.
//!
//! In f32, log-probabilities in the thousands would lose significant digits. So the largest value of a frame
//! is subtracted every few frames. The gradient does not depend on this, because each frame's state
//! probabilities sum to one. For the loss, the subtracted values are added up with Kahan summation.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; the layout gives all sizes.

mod gradient;
mod layout;
mod logarithms;
mod walk;

use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use burn_tensor::DType;
use cubecl::prelude::*;

use crate::buffers::{array, empty_like, into_own_buffer};
use crate::cross_entropy::{RowLosses, grid};
use crate::launches;
use gradient::gradient_kernel;
pub use layout::Layout;
use walk::{Size, walk_kernel};

/// Losses and gradient of a batch.
#[derive(Debug)]
pub struct Aligned<R: CubeRuntime> {
    /// The negative log-likelihood of each utterance, `[B]`.
    pub losses: CubeTensor<R>,
    /// The gradient of `scale` times their sum with respect to the scores, `[N, C]`.
    pub gradient: CubeTensor<R>,
    /// Both tables. They are no longer needed.
    pub tables: CubeTensor<R>,
}

/// Whether the kernels support this number of states on the device, and both tables fit into one buffer.
pub fn fits<R: CubeRuntime>(layout: &Layout, scores: &CubeTensor<R>) -> bool {
    let largest_buffer = scores.client.properties().memory.max_page_size;
    size_of_walk(layout, &scores.client).is_some() && 2 * 4 * layout.table as u64 <= largest_buffer
}

fn size_of_walk<R: CubeRuntime>(layout: &Layout, client: &ComputeClient<R>) -> Option<Size> {
    let hardware = &client.properties().hardware;
    Size::for_states(
        layout.most_states,
        hardware.max_units_per_cube as usize,
        hardware.max_shared_memory_size,
    )
}

/// Computes the losses of scores `[N, C]` and the gradient of `scale` times their sum. The gradient
/// overwrites the scores if their buffer is not shared.
///
/// `numbers` are the layout's numbers on the device. `found` are the results of cross-entropy on the same
/// rows; only its log-sum-exp is used.
///
/// # Panics
///
/// If the layout has too many states ([`fits`]), or the shapes do not match it.
///
/// # Safety
///
/// `numbers` must hold exactly what [`Layout::new`] put into [`Layout::numbers`]. The kernels use them as
/// indices without checking them.
pub unsafe fn align<R: CubeRuntime>(
    scores: CubeTensor<R>,
    numbers: CubeTensor<R>,
    found: &RowLosses<R>,
    layout: &Layout,
    scale: f32,
) -> Aligned<R> {
    let [rows, classes] = scores.meta.shape().dims::<2>();
    let utterances = layout.utterances;
    assert_eq!(classes, layout.classes, "number of classes");
    assert!(
        utterances > 0 && layout.rows == rows,
        "the scores need a row for every row of the layout"
    );
    assert_eq!(numbers.meta.shape().dims::<1>(), [layout.count], "numbers");
    assert_eq!(found.log_sum.meta.shape().dims::<1>(), [rows], "log-sums");
    assert_eq!(
        (scores.dtype, numbers.dtype, found.log_sum.dtype),
        (DType::F32, DType::I32, DType::F32),
        "element types of scores, numbers and log-sums"
    );
    let size = size_of_walk(layout, &scores.client).expect("fits() was checked");
    let (scores, numbers) = (into_contiguous(scores), into_contiguous(numbers));
    let tables = empty_like(&scores, [2 * layout.table], DType::F32);
    let losses = empty_like(&scores, [utterances], DType::F32);
    let client = scores.client.clone();
    launches::add(2);
    // SAFETY: the caller promises that the numbers are the layout's. Its headers then describe `utterances` utterances of
    // at least one frame, whose rows exist, whose labels are below `classes`, and whose tables lie within `table` values.
    // There is a cube per utterance and direction, and `size` covers the states of the longest sequence.
    unsafe {
        walk_kernel::launch_unchecked::<R>(
            &client,
            CubeCount::Static(utterances as u32, 2, 1),
            CubeDim::new_1d(size.units as u32),
            array(&scores),
            array(&found.log_sum),
            array(&numbers),
            array(&tables),
            array(&losses),
            rows,
            layout.row_step,
            classes,
            layout.table,
            size.states,
            size.units,
        );
    }
    let scores = into_own_buffer(scores);
    let (units, cubes) = grid(rows, classes);
    // SAFETY: as above. Rows and classes are compared with the shape of the scores, which no other tensor shares.
    unsafe {
        gradient_kernel::launch_unchecked::<R>(
            &client,
            cubes,
            CubeDim::new_1d(units as u32),
            array(&found.log_sum),
            array(&numbers),
            array(&tables),
            array(&scores),
            rows,
            layout.row_step,
            classes,
            layout.blank,
            layout.table,
            scale,
            units,
        );
    }
    Aligned {
        losses,
        gradient: scores,
        tables,
    }
}
