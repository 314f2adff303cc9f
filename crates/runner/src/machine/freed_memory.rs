//! Keeps freed memory in the process, instead of returning it to the system.
//!
//! On the CPU, every training step allocates the same large buffers again. By default, glibc gets each of them from the system, which
//! clears every page when it is first touched. That took up to a third of a step. Other C libraries are left as they are.

/// Makes the C library keep freed memory. The peak of memory in use stays the same.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep() {
    #[allow(
        unsafe_code,
        reason = "the C library's settings have no safe interface"
    )]
    // SAFETY: `mallopt` takes two integers and changes only how the allocator gets and returns memory. If it fails, the defaults stay.
    unsafe {
        // Large buffers come from the heap, and the end of the heap is never returned.
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, -1);
    }
}

/// Does nothing: this C library has no such settings, or we have not measured it.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep() {}
