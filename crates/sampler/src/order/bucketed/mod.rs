//! Buckets: items of similar length, shuffled among themselves. A batch never mixes two buckets.
//!
//! Four ways to choose the boundaries, one file each. All share the rest: an item goes to the smallest bucket that
//! is at least as wide as the item is long, items inside a bucket are in random order, and the buckets stand in
//! order of width, the narrowest first (the curriculum of Khomenko et al., 2016); `shuffle-batches` draws the batches
//! of all buckets in random order, as MXNet and Ge et al. do.

mod by_count;
mod by_width;
mod mxnet;
mod optimal;

use serde::{Deserialize, Serialize};

use super::{Group, Groups};
use crate::error::{PlanError, StrategyError};
use crate::radix::Keyed;
use crate::random::{Purpose, Seeds};
use crate::strategy::in_range;

pub use optimal::optimal_boundaries;
pub(crate) use optimal::{MAX_CELLS, check_cells};

/// How bucket boundaries are chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Buckets {
    /// Every this many frames (figure 1 of Doetsch, Golik and Ney, 2017, uses 250).
    Width(u32),
    /// Sorted, and cut into runs of this many items, counted from the longest: the "bucket batching" of Ge et al.
    /// (2021).
    Count(u32),
    /// MXNet's default: one for every length that occurs at least batch-size times; longer items are dropped, and
    /// counted in the ledger. See [`Strategy::mxnet`](crate::Strategy::mxnet) for all that MXNet does. A stream,
    /// which does not know what is frequent in the whole corpus, refuses it.
    Mxnet,
    /// This many, such that padding every item to its bucket's width adds the least frames (Khomenko et al., 2016).
    Optimal(u32),
}

impl Buckets {
    pub(crate) fn validate(&self) -> Result<(), StrategyError> {
        let (parameter, value) = match *self {
            Buckets::Width(width) => ("width", width),
            Buckets::Count(count) => ("count", count),
            Buckets::Optimal(buckets) => ("optimal", buckets),
            Buckets::Mxnet => return Ok(()),
        };
        in_range(parameter, value.into()).map(drop)
    }
}

pub(super) fn order(
    lengths: &[u32],
    buckets: &Buckets,
    batch_size: Option<u32>,
    seeds: &Seeds,
) -> Result<Groups, PlanError> {
    // Sorting first puts every bucket in one run; where a boundary parts items of one length, as `count` may, the
    // shuffle before the sort decides which fall on which side.
    let mut pairs = super::sorted::sorted_pairs(lengths, seeds);
    let groups = match *buckets {
        Buckets::Width(width) => by_width::groups(&pairs, width),
        Buckets::Count(count) => by_count::groups(&pairs, count),
        Buckets::Optimal(buckets) => {
            let histogram = histogram(&pairs);
            check_cells(buckets, histogram.len())?;
            let boundaries = optimal_boundaries(&histogram, buckets);
            groups_up_to(&pairs, &boundaries)
        }
        Buckets::Mxnet => {
            let batch_size = batch_size.unwrap_or(1);
            let boundaries = mxnet::boundaries(&histogram(&pairs), batch_size);
            if boundaries.is_empty() {
                return Err(PlanError::NoFrequentLength { batch_size });
            }
            groups_up_to(&pairs, &boundaries)
        }
    };
    let mut shuffle = seeds.stream(Purpose::Bucket);
    let mut start = 0;
    for group in &groups {
        shuffle.shuffle(&mut pairs[start..group.end as usize]);
        start = group.end as usize;
    }
    let too_long = pairs.drain(start..).map(|p| p.item).collect();
    Ok(Groups {
        order: pairs.iter().map(|p| p.item).collect(),
        lengths: pairs.iter().map(|p| p.key).collect(),
        groups,
        too_long,
    })
}

/// Each length that occurs, with how often, the shortest first.
fn histogram(sorted: &[Keyed]) -> Vec<(u32, u64)> {
    sorted
        .chunk_by(|a, b| a.key == b.key)
        .map(|run| (run[0].key, run.len() as u64))
        .collect()
}

/// One group for every boundary that takes an item; items past the last boundary are left out.
fn groups_up_to(sorted: &[Keyed], boundaries: &[u32]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut start = 0;
    for &width in boundaries {
        let end = start + sorted[start..].partition_point(|p| p.key <= width);
        if end > start {
            groups.push(Group {
                end: end as u32,
                width: Some(width),
            });
        }
        start = end;
    }
    groups
}
