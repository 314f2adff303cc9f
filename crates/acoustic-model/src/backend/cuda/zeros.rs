//! Zeroed buffers for kernels, cut from larger ones.
//!
//! The recurrences and the searches for a largest magnitude begin with zeroed buffers, more than ten per training step. Every launch
//! costs the host as much as a small kernel costs the device. So one launch zeroes the buffers of several steps.

use std::cell::RefCell;

use burn_cubecl::ops::numeric::zeros_client;
use burn_tensor::{DType, Shape};

use super::device::CudaTensor;
use super::raw::part;

/// Words that are zeroed at once: 4 MiB.
const WORDS: usize = 1 << 20;

/// Buffers begin at multiples of this many words (256 bytes), like separate allocations.
const ALIGNMENT: usize = 64;

/// A zeroed buffer, and how many of its words have been given away.
struct Supply {
    zeros: CudaTensor,
    used: usize,
}

thread_local! {
    /// One supply per thread, because CubeCL orders launches on the same buffer within a thread.
    static SUPPLY: RefCell<Option<Supply>> = const { RefCell::new(None) };
}

/// Zeros on the device of another tensor. No other buffer shares them.
pub(super) fn zeroed(like: &CudaTensor, words: usize) -> CudaTensor {
    if words > WORDS / 2 {
        return allocate(like, words);
    }
    SUPPLY.with_borrow_mut(|supply| {
        let needed = words.next_multiple_of(ALIGNMENT);
        let fits =
            |supply: &Supply| supply.zeros.device == like.device && supply.used + needed <= WORDS;
        if !supply.as_ref().is_some_and(fits) {
            *supply = None;
        }
        let supply = supply.get_or_insert_with(|| Supply {
            zeros: allocate(like, WORDS),
            used: 0,
        });
        let found = part(&supply.zeros, supply.used, [words]);
        supply.used += needed;
        found
    })
}

fn allocate(like: &CudaTensor, words: usize) -> CudaTensor {
    let (client, device) = (like.client.clone(), like.device.clone());
    zeros_client(client, device, Shape::new([words]), DType::F32)
}
