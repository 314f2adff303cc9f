//! CTC's forward-backward on any device that CubeCL compiles for.
//!
//! Two launches: `walk` goes through the frames and fills a table for each direction, `gradient` puts the tables together. The backward
//! direction is the forward one of the sequence reversed, so both tables include a frame's own emission.
//!
//! In f32, logarithms of thousands would lose the digits that count. So the largest of a frame is subtracted from time to time: where the
//! tables are used it does not matter, because at each frame the states' probabilities are known to sum to one; for the
//! loss, what was subtracted is summed with its rounding error.

#![allow(unsafe_code)] // Kernels are launched without bounds checks; the layout says how much there is of everything.

mod gradient;
mod layout;
mod logarithms;
mod walk;

use burn::tensor::DType;
use burn_cubecl::{CubeRuntime, kernel::into_contiguous, tensor::CubeTensor};
use cubecl::prelude::*;

use crate::buffers::{array, empty_like, into_own_buffer};
use crate::cross_entropy::{RowLosses, grid};
use crate::launches;
use gradient::gradient_kernel;
pub use layout::Layout;
use walk::{Size, walk_kernel};

/// What alignment finds.
#[derive(Debug)]
pub struct Aligned<R: CubeRuntime> {
    /// The negative log-likelihood of each utterance, `[B]`.
    pub losses: CubeTensor<R>,
    /// The gradient of their sum, times what was asked for, with respect to the scores, `[T·B, C]`.
    pub gradient: CubeTensor<R>,
    /// Both tables, which nobody needs any more.
    pub tables: CubeTensor<R>,
}

/// Whether the kernels have room for so many states on the device, and it for the tables in one buffer.
pub fn has_room<R: CubeRuntime>(layout: &Layout, scores: &CubeTensor<R>) -> bool {
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

/// The losses of scores `[T·B, C]` and the gradient of `scale` times their sum, which takes the place of the scores where nothing else
/// holds them. `numbers` are those of the layout, on the device; `found` is what the rows' cross-entropy knows, of which the logarithms of the sums are used.
///
/// # Panics
///
/// If the layout has more states than there is room for ([`has_room`]).
pub fn align<R: CubeRuntime>(
    scores: CubeTensor<R>,
    numbers: CubeTensor<R>,
    found: &RowLosses<R>,
    layout: &Layout,
    utterances: usize,
    scale: f32,
) -> Aligned<R> {
    let [rows, classes] = scores.meta.shape().dims::<2>();
    let size = size_of_walk(layout, &scores.client).expect("states that there is room for");
    let (scores, numbers) = (into_contiguous(scores), into_contiguous(numbers));
    let tables = empty_like(&scores, [2 * layout.table], DType::F32);
    let losses = empty_like(&scores, [utterances], DType::F32);
    let client = scores.client.clone();
    launches::add(2);
    // Sound: the layout was made for this batch; it lists states and classes that there are, and its table has a place for each state
    // of each frame of each utterance, twice.
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
            utterances,
            classes,
            layout.table,
            size.states,
            size.units,
        );
    }
    let scores = into_own_buffer(scores);
    let (units, cubes) = grid(rows, classes);
    // Sound: as above, and rows and classes are those of the scores.
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
            utterances,
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
