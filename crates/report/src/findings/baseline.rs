//! What strategies are held against: the row that the config names, or random batches of whole utterances, or the first row.

use padwise_sampler::{Items, Order};

use crate::record::ExperimentConfig;

pub(super) fn of(config: &ExperimentConfig) -> Option<usize> {
    let rows = &config.strategy;
    let named = config
        .measure
        .baseline
        .as_ref()
        .and_then(|name| rows.iter().position(|row| row.name == *name));
    let random = || {
        rows.iter().position(|row| {
            row.strategy.order == Order::Random && row.strategy.items == Items::default()
        })
    };
    named.or_else(random).or((!rows.is_empty()).then_some(0))
}
