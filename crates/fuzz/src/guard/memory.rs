//! An allocator that measures the memory of each thread.
//!
//! Binaries that use it declare `#[global_allocator] static ALLOCATOR: memory::Allocator = memory::Allocator;`. Memory that
//! other threads allocate for a reader is not counted.
#![allow(unsafe_code, reason = "an allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

/// No thread gets more than this for an input. Code that cannot go on without the memory aborts the process.
const LIMIT: isize = 2 << 30;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    /// Where measuring started; `None` while nothing is measured.
    static BASE: Cell<Option<isize>> = const { Cell::new(None) };
}

/// The system's allocator, with counts for each thread.
pub struct Allocator;

/// Whether this thread may have this many more bytes. Counts them if so.
fn admit(bytes: isize) -> bool {
    // While a thread ends, its counters may be gone.
    let admitted = HELD.try_with(|held| {
        let now = held.get().saturating_add(bytes);
        if let Some(base) = BASE.get()
            && bytes > 0
            && now.saturating_sub(base) > LIMIT
        {
            // Saving the input allocates, too.
            BASE.set(None);
            super::save_refused();
            BASE.set(Some(base));
            return false;
        }
        held.set(now);
        PEAK.set(PEAK.get().max(now));
        true
    });
    admitted.unwrap_or(true)
}

fn size(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

// SAFETY: every call is passed on to the system's allocator unchanged, or refused with a null pointer, which the contract allows.
// Counting touches plain numbers of this thread only.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !admit(size(layout.size())) {
            return null_mut();
        }
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !admit(size(layout.size())) {
            return null_mut();
        }
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if !admit(size(new_size).wrapping_sub(size(layout.size()))) {
            return null_mut();
        }
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        admit(size(layout.size()).wrapping_neg());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Calls `action` and returns the most bytes that this thread held during it, above those that it held before. Always 0
/// without the [`Allocator`].
pub fn peak_of(action: impl FnOnce()) -> usize {
    let base = HELD.get();
    PEAK.set(base);
    BASE.set(Some(base));
    action();
    BASE.set(None);
    usize::try_from(PEAK.get() - base).unwrap_or(0)
}
