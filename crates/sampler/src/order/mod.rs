//! The algorithms that draw items in an order, one file for each.
//!
//! Every order starts from a shuffle of its own for each epoch, so that items of equal length change places; this
//! is the "prepare-trainset-per-epoch" of Ge et al. (2021), section 5.
//!
//! A new order is a file here, a variant of [`Order`] and a name in `one_line/parse.rs`. Reports give it a colour in their
//! `plots/strategy_styles.rs`.

mod alternated;
mod bucketed;
mod drawn;
mod random;
mod semi_sorted;
mod smart;
mod sorted;

use crate::error::PlanError;
use crate::random::Seeds;
use crate::settings::Order;
use crate::strategy::Strategy;

pub(crate) use bucketed::check_cells;
pub use bucketed::optimal_boundaries;
pub(crate) use drawn::Drawn;

/// Draws the items of these lengths. `longest` is the longest item of the whole corpus.
pub(crate) fn draw(
    strategy: &Strategy,
    lengths: &[u32],
    longest: u32,
    seeds: &Seeds,
) -> Result<Drawn, PlanError> {
    Ok(match &strategy.order {
        Order::Random => random::draw(lengths, seeds),
        Order::Sorted => sorted::draw(lengths, seeds),
        Order::Alternated { bins } => alternated::draw(lengths, *bins, seeds),
        Order::SemiSorted { lrf } => semi_sorted::draw(lengths, *lrf, seeds),
        Order::Bucketed(buckets) => {
            bucketed::draw(lengths, buckets, strategy.batching.size(), seeds)?
        }
        Order::Smart => smart::draw(lengths, longest, strategy, seeds),
    })
}
