//! Bucketed order: groups of similar lengths, shuffled inside. A batch never mixes two buckets.
//!
//! There are four ways to choose the boundaries, one file each. The rest is common to all: an item goes into the
//! narrowest bucket that it fits into, and items inside a bucket are in random order. Buckets are sorted by width,
//! narrowest first (the curriculum of Khomenko et al., 2016). With `shuffle-batches`, the batches of all buckets come in
//! random order, as in MXNet and Ge et al. (2021).

mod by_count;
mod by_width;
mod mxnet;
mod optimal;

use super::drawn::{Drawn, Group};
use super::sorted::sorted_pairs;
use crate::error::PlanError;
use crate::radix::Keyed;
use crate::random::{Purpose, Seeds};
use crate::settings::Buckets;

pub(crate) use optimal::check_cells;
pub use optimal::optimal_boundaries;

pub(super) fn draw(
    lengths: &[u32],
    buckets: &Buckets,
    batch_size: Option<u32>,
    seeds: &Seeds,
) -> Result<Drawn, PlanError> {
    // Sorting makes every bucket one run. If a boundary separates items of equal length, as `count` can, the shuffle
    // before the sort decides which side each item goes to.
    let mut pairs = sorted_pairs(lengths, seeds);
    let groups = match *buckets {
        Buckets::Width(width) => {
            let boundaries = by_width::boundaries(&histogram(&pairs), width);
            groups_up_to(&pairs, &boundaries)
        }
        Buckets::Count(count) => by_count::ends(pairs.len(), count)
            .map(|end| Group::open(end, Some(pairs[end - 1].key)))
            .collect(),
        Buckets::Optimal(buckets) => {
            let histogram = histogram(&pairs);
            check_cells(buckets, histogram.len())?;
            groups_up_to(&pairs, &optimal_boundaries(&histogram, buckets))
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
    let mut shuffle = seeds.stream(Purpose::BUCKET);
    let mut start = 0;
    for group in &groups {
        shuffle.shuffle(&mut pairs[start..group.end as usize]);
        start = group.end as usize;
    }
    let too_long = pairs.drain(start..).map(|pair| pair.item).collect();
    Ok(Drawn {
        too_long,
        ..Drawn::new(&pairs, groups)
    })
}

/// Each distinct length with its number of items, shortest first.
fn histogram(sorted: &[Keyed]) -> Vec<(u32, u64)> {
    sorted
        .chunk_by(|a, b| a.key == b.key)
        .map(|run| (run[0].key, run.len() as u64))
        .collect()
}

/// A group for every boundary. Items beyond the last boundary are in no group.
fn groups_up_to(sorted: &[Keyed], boundaries: &[u32]) -> Vec<Group> {
    boundaries
        .iter()
        .map(|&width| {
            let end = sorted.partition_point(|pair| pair.key <= width);
            Group::open(end, Some(width))
        })
        .collect()
}
