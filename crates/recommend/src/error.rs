//! Why no strategy can be recommended.

use padwise_sampler::{ParseStrategyError, PlanError};
use thiserror::Error;

/// A search that found nothing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecommendError {
    /// The corpus cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The batch size is impossible.
    #[error(transparent)]
    Strategy(#[from] ParseStrategyError),
    /// Nothing fits into the memory.
    #[error(
        "no strategy with batches of {batch_size} that our records support fits into {limit_mb} MB: {remedy}"
    )]
    NothingFits {
        /// The batch size.
        batch_size: u32,
        /// The memory limit.
        limit_mb: u64,
        /// What to change.
        remedy: String,
    },
    /// A memory limit cannot be checked.
    #[error(
        "the device profile has no memory: measure one on a device that reports it, or ask without a memory limit"
    )]
    MemoryUnknown,
    /// The caller ended the search.
    #[error("the search was interrupted")]
    Interrupted,
}
