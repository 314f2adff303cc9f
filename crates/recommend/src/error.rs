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
        "no strategy with batches of {batch_size} fits into {limit_mb} MB: the smallest needs {needed_mb} MB; {remedy}"
    )]
    NothingFits {
        /// The batch size.
        batch_size: u32,
        /// The memory limit.
        limit_mb: u64,
        /// What the most frugal strategy needs.
        needed_mb: u64,
        /// What to change.
        remedy: String,
    },
    /// No strategy is as random as requested.
    #[error(
        "no strategy within the memory limit has a randomness of {requested}: the most is {most:.3}; lower --min-randomness"
    )]
    NotRandomEnough {
        /// The requested randomness.
        requested: f64,
        /// The largest one found.
        most: f64,
    },
    /// The caller ended the search.
    #[error("the search was interrupted")]
    Interrupted,
}
