//! Cache prefetching.
//!
//! A recurrence reads one row of every frame in turn. The hardware prefetcher does not predict this pattern,
//! and without a hint nearly every cache line is a miss.
#![allow(unsafe_code)]

/// Starts loading a slice into the cache. This is a hint: it affects only the speed.
#[inline(always)]
pub fn prefetch<E>(slice: &[E]) {
    #[cfg(target_arch = "x86_64")]
    for line in slice.chunks((64 / size_of::<E>()).max(1)) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64. A prefetch reads nothing that the program can see, and cannot fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = slice;
}
