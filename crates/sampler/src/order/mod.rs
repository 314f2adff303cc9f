//! The order in which items are drawn, and the groups that no batch may cross.
//!
//! Every order starts from a shuffle of its own for each epoch, so that items of equal length change places; this
//! is the "prepare-trainset-per-epoch" of Ge et al. (2021), section 5.

mod alternated;
mod bucketed;
mod random;
mod semi_sorted;
mod smart;
mod sorted;

use serde::{Deserialize, Serialize};

use crate::batching::{Batching, Padding};
use crate::error::{PlanError, StrategyError};
use crate::plan::Span;
use crate::radix::Keyed;
use crate::random::Seeds;
use crate::strategy::in_range;

pub use bucketed::{Buckets, optimal_boundaries};
pub(crate) use bucketed::{MAX_CELLS, check_cells};

/// The order in which items are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Order {
    /// Shuffled.
    Random,
    /// By length, the shortest first.
    Sorted,
    /// Shuffled, cut into bins, the bins sorted up and down in turn (Doetsch, Golik and Ney, 2017).
    Alternated {
        /// The number of bins.
        bins: u32,
    },
    /// By length plus noise (Ge et al., 2021).
    SemiSorted {
        /// The local randomisation factor: the noise's range as a share of the range of lengths.
        lrf: f64,
    },
    /// In buckets of similar length, shuffled inside each; as built, the shortest bucket comes first.
    Bucketed(Buckets),
    /// From a random item outward over its nearest lengths, batch by batch (Anderson, 2020).
    Smart,
}

/// Items in the order in which they are drawn.
pub(crate) struct Groups {
    pub order: Vec<u32>,
    /// The length of each, in the same order: whatever follows reads them one after the other.
    pub lengths: Vec<u32>,
    pub groups: Vec<Group>,
    /// Items that no group takes: those longer than MXNet's largest bucket.
    pub too_long: Vec<u32>,
}

/// Consecutive items that share no batch with any other's.
pub(crate) struct Group {
    /// One past the position of its last item.
    pub end: u32,
    /// What `pad=bucket` pads to.
    pub width: Option<u32>,
}

impl Groups {
    /// One group of everything.
    fn whole(order: Vec<u32>, lengths: &[u32]) -> Self {
        let lengths: Vec<u32> = order.iter().map(|&i| lengths[i as usize]).collect();
        Groups {
            groups: vec![Group {
                end: order.len() as u32,
                width: None,
            }],
            order,
            lengths,
            too_long: Vec::new(),
        }
    }

    /// One group of pairs that were sorted, whose lengths can be read beside the items.
    fn from_sorted(pairs: &[Keyed], length_of_key: impl Fn(&Keyed) -> u32) -> Self {
        Groups {
            order: pairs.iter().map(|p| p.item).collect(),
            lengths: pairs.iter().map(length_of_key).collect(),
            groups: vec![Group {
                end: pairs.len() as u32,
                width: None,
            }],
            too_long: Vec::new(),
        }
    }
}

/// What an order made of the items, and the batches where the order itself makes them.
pub(crate) struct Drawn {
    pub groups: Groups,
    pub batches: Vec<Span>,
}

impl Order {
    pub(crate) fn validate(&self) -> Result<(), StrategyError> {
        match *self {
            Order::Random | Order::Sorted | Order::Smart => Ok(()),
            Order::Alternated { bins } => in_range("bins", bins.into()).map(drop),
            Order::SemiSorted { lrf } if lrf.is_finite() && lrf >= 0.0 => Ok(()),
            Order::SemiSorted { lrf } => Err(StrategyError::Lrf { value: lrf }),
            Order::Bucketed(ref buckets) => buckets.validate(),
        }
    }

    /// Draws the items and cuts them into batches. `longest` is the longest item of the whole corpus.
    pub(crate) fn draw(
        &self,
        lengths: &[u32],
        longest: u32,
        seeds: &Seeds,
        batching: &Batching,
        padding: Padding,
    ) -> Result<Drawn, PlanError> {
        let padded_longest = padding.within(None).length(longest);
        let groups = match self {
            Order::Random => random::order(lengths, seeds),
            Order::Sorted => sorted::order(lengths, seeds),
            Order::Alternated { bins } => alternated::order(lengths, *bins, seeds),
            Order::SemiSorted { lrf } => semi_sorted::order(lengths, *lrf, seeds),
            Order::Bucketed(buckets) => bucketed::order(lengths, buckets, batching.size(), seeds)?,
            // Smart batching decides what comes next by what the batch already holds, so it fills batches itself.
            Order::Smart => {
                let limit = batching.limit(padded_longest);
                return Ok(smart::draw(lengths, seeds, limit, padding));
            }
        };
        let widest = match padding {
            Padding::Bucket => groups.groups.iter().filter_map(|g| g.width).max(),
            Padding::Longest | Padding::Multiple(_) => None,
        };
        let limit = batching.limit(padded_longest.max(widest.unwrap_or(0)));
        let batches = crate::batching::cut(&groups, limit, padding);
        Ok(Drawn { groups, batches })
    }
}
