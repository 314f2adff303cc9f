//! An allocator that measures the memory of each thread.
//!
//! Binaries that use it declare `#[global_allocator] static ALLOCATOR: memory::Allocator = memory::Allocator;`. Memory that
//! other threads allocate for a reader is not counted.
#![allow(unsafe_code, reason = "an allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// More than this aborts the process at once: the system might run out of memory before the reader returns.
const ABORT_AT: isize = 2 << 30;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    /// Where measuring started; `None` while nothing is measured.
    static BASE: Cell<Option<isize>> = const { Cell::new(None) };
}

/// The system's allocator, with counts for each thread.
pub struct Allocator;

/// Counts `bytes` more, or fewer if negative.
fn count(bytes: isize) {
    // While a thread ends, its counters may be gone.
    let _ = HELD.try_with(|held| {
        let now = held.get().wrapping_add(bytes);
        held.set(now);
        if bytes > 0 && now > PEAK.get() {
            PEAK.set(now);
            if BASE.get().is_some_and(|base| now - base > ABORT_AT) {
                // What follows allocates, too.
                BASE.set(None);
                super::abort(&format!("allocates {} MB at once", bytes >> 20));
            }
        }
    });
}

fn size(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

// SAFETY: every call is passed on to the system's allocator unchanged. Counting touches plain numbers of this thread only.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(size(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(size(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(size(new_size).wrapping_sub(size(layout.size())));
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(size(layout.size()).wrapping_neg());
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
