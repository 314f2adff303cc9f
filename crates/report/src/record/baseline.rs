//! Chooses the baseline that strategies are compared with.

use padwise_sampler::{Items, Order};

use super::ExperimentConfig;

/// The row that the config names, or else random batches of whole utterances, or else the first row.
pub(super) fn index(config: &ExperimentConfig) -> Option<usize> {
    let rows = &config.strategy;
    let named = config.measure.baseline.as_ref();
    let named = named.and_then(|name| rows.iter().position(|row| row.name == *name));
    let random = || {
        rows.iter().position(|row| {
            row.strategy.order == Order::Random && row.strategy.items == Items::default()
        })
    };
    named.or_else(random).or((!rows.is_empty()).then_some(0))
}
