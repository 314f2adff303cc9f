//! The orders, one file each.
//!
//! Every order starts from a new shuffle in each epoch, so items of equal length change places. This is the
//! "prepare-trainset-per-epoch" of Ge et al. (2021), section 5.
//!
//! To add an order, write a file here and add a variant to [`Order`], a name in `one_line/parse.rs` and an entry in
//! `one_line/grammar.txt`. In reports its colour is set in `plots/strategy_styles.rs` of the report crate.

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

/// Arranges items with these lengths in the strategy's order. `longest` is the length of the corpus's longest item.
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
