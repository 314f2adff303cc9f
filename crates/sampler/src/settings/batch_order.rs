//! The order in which finished batches are trained.
//!
//! - Shuffling is the "batch randomisation" of Ge et al., "Speed up training with variable length inputs by efficient
//!   batching strategies" (2021), section 5.
//! - Shortest first is the curriculum of Khomenko et al., "Accelerating recurrent neural network training using sequence
//!   bucketing and multi-GPU data parallelization" (2016), section IV.
//! - Shuffling only after the first epoch is, with sorted batches, the curriculum "SortaGrad" of Amodei et al., "Deep
//!   Speech 2: end-to-end speech recognition in English and Mandarin" (2016), section 3.2.
//! - Longest first makes an out-of-memory error appear in the first step instead of the last.

/// The order of finished batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum BatchOrder {
    /// In the order in which they were built.
    #[default]
    AsBuilt,
    /// Shuffled differently in every epoch.
    Shuffled,
    /// As built in the first epoch, shuffled in every later epoch.
    ShuffledLater,
    /// By padded length, shortest first. Batches of equal length stay in the order in which they were built.
    ShortFirst,
    /// By padded length, longest first. Batches of equal length stay in the order in which they were built.
    LongFirst,
}
