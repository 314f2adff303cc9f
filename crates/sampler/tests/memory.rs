//! The peak memory of planning is at most 24 bytes per item.
#![allow(
    unsafe_code,
    reason = "a counting allocator must implement an unsafe trait"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use padwise_sampler::{Profile, Sampler};

struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged. Counting neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let in_use = IN_USE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(in_use, Relaxed);
        // SAFETY: the caller promises a layout whose size is not zero.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller promises that `alloc` above returned the pointer for this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The only test in this file, because a parallel test would allocate at the same time.
#[test]
fn planning_peaks_below_24_bytes_per_item() {
    let items = 1_000_000;
    let lengths = Profile::LibriSpeech.lengths(items);
    for line in [
        "random",
        "sorted",
        "alternated:bins=64",
        "semi-sorted:lrf=0.1",
        "bucketed:count=1024",
    ] {
        let sampler = Sampler::new(line.parse().expect("a strategy"), 0).expect("legal");
        let before = IN_USE.load(Relaxed);
        PEAK.store(before, Relaxed);
        let plan = sampler.plan(&lengths, 0).expect("a plan");
        let peak = (PEAK.load(Relaxed) - before) as f64 / items as f64;
        assert!(peak <= 24.0, "{line}: {peak} bytes per item");
        drop(plan);
        assert_eq!(IN_USE.load(Relaxed), before, "{line} leaks memory");
    }
}
