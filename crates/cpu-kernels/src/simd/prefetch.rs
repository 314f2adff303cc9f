//! Cache prefetching.
//!
//! A recurrence reads one row of every frame in turn. The hardware prefetcher does not predict this pattern,
//! and without a hint nearly every cache line is a miss.
#![allow(unsafe_code)]

/// Bytes of a cache line.
const LINE: usize = 64;

/// Starts loading an element of a slice into the cache. An index past the end is harmless: what follows is loaded, if there is anything.
#[inline(always)]
pub fn prefetch_element<E>(slice: &[E], index: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..size_of::<E>().div_ceil(LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let element: *const i8 = slice.as_ptr().wrapping_add(index).cast();
        // SAFETY: SSE is part of x86-64. A prefetch reads nothing that the program can see, and cannot fault at any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(element.wrapping_add(line * LINE)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

/// Starts loading a slice into the cache. This is a hint: it affects only the speed.
#[inline(always)]
pub fn prefetch<E>(slice: &[E]) {
    #[cfg(target_arch = "x86_64")]
    for line in slice.chunks((LINE / size_of::<E>()).max(1)) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64. A prefetch reads nothing that the program can see, and cannot fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = slice;
}
