//! Batches for evaluation: the same for all strategies and epochs.
//!
//! Ge et al. (2021) validate on random batches, because their loss depends on padding. Ours does not, so batches have utterances of
//! similar lengths and little padding.

use padwise_features::Corpus;
use padwise_sampler::{Plan, Sampler, Strategy};

use super::CorporaError;

/// The batches in which a corpus is validated and recognised.
pub fn evaluation_plan(corpus: &dyn Corpus, batch: u32) -> Result<Plan, CorporaError> {
    let strategy = Strategy::parse("sorted", batch).map_err(CorporaError::other)?;
    let sampler = Sampler::new(strategy, 0).map_err(CorporaError::other)?;
    sampler
        .plan(corpus.lengths(), 0)
        .map_err(CorporaError::other)
}
