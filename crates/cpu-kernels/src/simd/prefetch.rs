//! Asks for memory before it is needed.
//!
//! A recurrence walks through its tensors one row of every frame at a time, a pattern the processor does not foresee;
//! without a hint it waits for nearly every line.
#![allow(unsafe_code)]

/// Starts bringing a slice into the cache. Never more than a hint: it changes nothing but the time taken.
#[inline(always)]
pub fn prefetch<E>(slice: &[E]) {
    #[cfg(target_arch = "x86_64")]
    for line in slice.chunks((64 / size_of::<E>()).max(1)) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is that of a live element, and SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = slice;
}
