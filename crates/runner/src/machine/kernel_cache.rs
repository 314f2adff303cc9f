//! The on-disk cache of compiled GPU kernels. Every run is a separate process and would otherwise compile them again.

/// Caches compiled kernels in the user's cache folder, if there is one.
pub fn enable() {
    #[cfg(feature = "cuda")]
    if let Some(folder) = super::cache_folder("kernels") {
        padwise_model::backend::keep_compiled_kernels(&folder);
    }
}
