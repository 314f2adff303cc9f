//! Smart order: each batch starts at a random item and adds the items nearest in length.
//!
//! A batch first takes the other items of the same length. It then chooses a direction at random and takes the nearest
//! longer (or shorter) items one by one. If none are left in that direction, it continues in the other. Batches contain
//! similar lengths, yet differ between epochs, and all are full except the last.
//!
//! Items are sorted by length. Links skip the used items, and following a link shortens it (union-find), so an epoch of
//! ten million items takes little longer than sorting them. With a frame budget or dynamic sizes, a batch also ends when
//! the nearest remaining item does not fit.
//!
//! Source: Anderson, "Smart document batching" (2020).

use super::drawn::{Drawn, Group};
use super::sorted::sorted_pairs;
use crate::fill::Fill;
use crate::limit::Limit;
use crate::random::{Purpose, Seeds};
use crate::strategy::Strategy;

/// Makes every group one batch, because the next item depends on the items already in the batch.
pub(super) fn draw(lengths: &[u32], longest: u32, strategy: &Strategy, seeds: &Seeds) -> Drawn {
    let sorted = sorted_pairs(lengths, seeds);
    let n = sorted.len() as u32;
    let mut walk = seeds.stream(Purpose::WALK);
    // Iterating over a shuffle and skipping used items picks every start uniformly from the unused ones.
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

/// The unused positions, with fast lookup of the nearest one above and below a position.
struct Unused {
    /// For a used position, a position above it that is not beyond the nearest unused one.
    up: Vec<u32>,
    /// The same downward, shifted by one, so 0 can mean none.
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

/// Follows the links from `at` to their end. Every visited link is changed to skip one (path halving).
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

    /// Compares each batch with a direct implementation of the article's algorithm.
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
