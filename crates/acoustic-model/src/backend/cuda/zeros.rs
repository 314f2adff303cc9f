//! Zeroed buffers for kernels, cut from a larger one.
//!
//! The recurrences and the searches for a largest magnitude begin with zeroed buffers, more than ten per training step. Every launch
//! costs the host as much as a small kernel costs the device. So one launch zeroes the buffers of a whole step, or of several.

use std::cell::RefCell;

use burn_cubecl::ops::numeric::zeros_client;
use burn_tensor::{DType, Shape};

use super::device::CudaTensor;
use super::raw::part;

/// Words that are zeroed at once: 4 MiB.
const WORDS: usize = 1 << 20;

/// Buffers begin at multiples of this many words (256 bytes).
const ALIGNMENT: usize = 64;

/// A zeroed buffer, and how many of its words are in use.
struct ZeroPool {
    zeros: CudaTensor,
    used: usize,
}

thread_local! {
    static POOL: RefCell<Option<ZeroPool>> = const { RefCell::new(None) };
}

/// Zeros on the device of another tensor. No other buffer shares them.
///
/// Use them on this thread only. CubeCL makes other threads wait for a buffer by the time of its allocation, and the pool is older
/// than what is written to its parts.
pub(super) fn zeroed(like: &CudaTensor, words: usize) -> CudaTensor {
    if words > WORDS / 2 {
        return allocate(like, words);
    }
    POOL.with_borrow_mut(|pool| {
        let needed = words.next_multiple_of(ALIGNMENT);
        let fits =
            |pool: &ZeroPool| pool.zeros.device == like.device && pool.used + needed <= WORDS;
        if !pool.as_ref().is_some_and(fits) {
            *pool = None;
        }
        let pool = pool.get_or_insert_with(|| ZeroPool {
            zeros: allocate(like, WORDS),
            used: 0,
        });
        let found = part(&pool.zeros, pool.used, [words]);
        pool.used += needed;
        found
    })
}

/// Drops this thread's pool. A new trainer must not depend on whether an earlier one's launches succeeded.
pub(super) fn clear() {
    POOL.set(None);
}

fn allocate(like: &CudaTensor, words: usize) -> CudaTensor {
    let (client, device) = (like.client.clone(), like.device.clone());
    zeros_client(client, device, Shape::new([words]), DType::F32)
}
