//! Smart batching: Anderson, "Smart document batching" (2020).
//!
//! Each batch starts at a random item, takes the others of the same length, then picks a direction at random and
//! takes the nearest longer (or shorter) items one after the other; when there are none left that way it turns
//! round. Batches hold similar lengths, yet differ from epoch to epoch, and all are full except the last.
//!
//! Items stand sorted by length; used ones are skipped through links that are shortened whenever they are followed
//! (union-find), so an epoch of ten million items costs little more than their sort. Under a frame budget or dynamic
//! sizes a batch also ends when the nearest remaining item does not fit.

use super::drawn::{Drawn, Group};
use super::sorted::sorted_pairs;
use crate::fill::Fill;
use crate::limit::Limit;
use crate::random::{Purpose, Seeds};
use crate::strategy::Strategy;

/// Every group is one batch: what is drawn next depends on what the batch already holds.
pub(super) fn draw(lengths: &[u32], longest: u32, strategy: &Strategy, seeds: &Seeds) -> Drawn {
    let sorted = sorted_pairs(lengths, seeds);
    let n = sorted.len() as u32;
    let mut walk = seeds.stream(Purpose::WALK);
    // Going through a shuffle and passing over what is used picks every start at random among the unused.
    let mut starts: Vec<u32> = (0..n).collect();
    walk.shuffle(&mut starts);

    let mut unused = Unused::new(n);
    let mut drawn = Vec::with_capacity(sorted.len());
    let mut groups = Vec::new();
    let limit = Limit::new(strategy, longest, None);
    for start in starts {
        if unused.is_used(start) {
            continue;
        }
        let mut fill = Fill::new(limit, strategy.padding, None);
        let mut is_upward = None;
        let mut next = Some(start);
        while let Some(position) = next {
            let pair = sorted[position as usize];
            if !fill.accepts(pair.key) {
                break;
            }
            fill.add(pair.key);
            unused.take(position);
            drawn.push(pair);
            if fill.is_full() {
                break;
            }
            let (above, below) = (unused.at_or_above(start), unused.below(start));
            let same_length = |at: Option<u32>| {
                at.filter(|&at| sorted[at as usize].key == sorted[start as usize].key)
            };
            next = same_length(above).or(same_length(below)).or_else(|| {
                if *is_upward.get_or_insert_with(|| walk.below(2) == 1) {
                    above.or(below)
                } else {
                    below.or(above)
                }
            });
        }
        groups.push(Group {
            is_closed: drawn.len() < sorted.len(),
            ..Group::open(drawn.len(), None)
        });
    }
    Drawn::new(&drawn, groups)
}

/// Positions not used yet, with the nearest one above and below any position.
struct Unused {
    /// For a used position, one at or before the nearest unused one above it.
    up: Vec<u32>,
    /// The same downward, shifted by one so that 0 can mean that there is none.
    down: Vec<u32>,
}

impl Unused {
    fn new(n: u32) -> Self {
        Unused {
            up: (0..=n).collect(),
            down: (0..=n).collect(),
        }
    }

    fn is_used(&self, position: u32) -> bool {
        self.up[position as usize] != position
    }

    fn take(&mut self, position: u32) {
        self.up[position as usize] = position + 1;
        self.down[position as usize + 1] = position;
    }

    fn at_or_above(&mut self, position: u32) -> Option<u32> {
        let found = follow(&mut self.up, position);
        (found as usize + 1 < self.up.len()).then_some(found)
    }

    fn below(&mut self, position: u32) -> Option<u32> {
        follow(&mut self.down, position).checked_sub(1)
    }
}

/// The end of the chain of links from here; every link on the way is made to skip one (path halving).
fn follow(links: &mut [u32], mut at: u32) -> u32 {
    while links[at as usize] != at {
        let skip = links[links[at as usize] as usize];
        links[at as usize] = skip;
        at = skip;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Batching, Order};

    fn batches_of(lengths: &[u32], size: u32, seed: u64) -> Vec<Vec<u32>> {
        let seeds = Seeds {
            seed,
            epoch: 0,
            window: 0,
        };
        let strategy = Strategy::new(Order::Smart, Batching::Fixed { size });
        let drawn = draw(lengths, 0, &strategy, &seeds);
        let mut start = 0;
        let mut group = |end: u32| {
            let lengths = drawn.lengths[start..end as usize].to_vec();
            start = end as usize;
            lengths
        };
        drawn.groups.iter().map(|g| group(g.end)).collect()
    }

    /// The algorithm as the article tells it, with nothing clever: used to check each batch of the fast one.
    #[test]
    fn every_batch_is_the_articles() {
        for seed in 0..200 {
            let lengths: Vec<u32> = (0..47)
                .map(|i| 5 + (i * i * 31 + seed as u32) % 23)
                .collect();
            let mut left = lengths.clone();
            left.sort_unstable();
            let batches = batches_of(&lengths, 4, seed);
            for batch in &batches {
                let start = batch[0];
                remove(&mut left, start);
                let same = left
                    .iter()
                    .filter(|&&l| l == start)
                    .count()
                    .min(batch.len() - 1);
                assert!(batch[..=same].iter().all(|&l| l == start), "{batch:?}");
                batch[1..=same].iter().for_each(|&l| remove(&mut left, l));
                let rest = &batch[same + 1..];
                let upward = rest.first().is_some_and(|&l| l > start);
                for &length in rest {
                    let longer = left.iter().copied().filter(|&l| l > start).min();
                    let shorter = left.iter().copied().filter(|&l| l < start).max();
                    let expected = if upward {
                        longer.or(shorter)
                    } else {
                        shorter.or(longer)
                    };
                    assert_eq!(Some(length), expected, "seed {seed}, batch {batch:?}");
                    remove(&mut left, length);
                }
            }
            assert!(left.is_empty());
            assert!(batches[..batches.len() - 1].iter().all(|b| b.len() == 4));
        }
    }

    fn remove(lengths: &mut Vec<u32>, length: u32) {
        let at = lengths.iter().position(|&l| l == length).expect("unused");
        lengths.remove(at);
    }
}
