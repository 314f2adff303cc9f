//! What a batch is made of: whole utterances, or chunks of them.
//!
//! Chunks are the sub-utterances of Doetsch, Golik and Ney, "A comparative study of batch construction strategies
//! for recurrent neural networks in MXNet" (2017), table 1: every utterance is cut from its start into pieces of a
//! fixed size, and the last piece is whatever is left. With a step smaller than the size, neighbouring chunks
//! overlap; the cutting stops with the first chunk that reaches the utterance's end, so no chunk lies wholly inside
//! the one before it.

use serde::{Deserialize, Serialize};

use crate::error::PlanError;
use crate::plan::{DropReason, Dropped, MAX_ITEMS};

/// The unit that is ordered, batched and accounted for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Items {
    /// Whole utterances.
    #[default]
    Utterances,
    /// Pieces of utterances.
    Chunks(Chunks),
}

/// How utterances are cut into chunks. All three are counted in frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Chunks {
    /// The length of a chunk, and the most it can be.
    pub size: u32,
    /// From one chunk's start to the next one's; the size where not given, so that chunks do not overlap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Chunks shorter than this are dropped, and counted in the ledger; 1 where not given, which drops none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<u32>,
}

impl Chunks {
    /// From one chunk's start to the next one's.
    pub fn step(&self) -> u32 {
        self.step.unwrap_or(self.size)
    }

    /// The shortest chunk that is kept.
    pub fn minimum(&self) -> u32 {
        self.minimum.unwrap_or(1)
    }

    /// How many chunks [`cut`](Self::cut) makes.
    fn count(self, length: u32) -> u64 {
        1 + u64::from(length.saturating_sub(self.size).div_ceil(self.step()))
    }

    /// The chunks of one utterance as (start, length), those under the minimum included.
    pub(crate) fn cut(self, length: u32) -> impl Iterator<Item = (u32, u32)> {
        let (size, step) = (u64::from(self.size), u64::from(self.step()));
        let length = u64::from(length);
        let mut next = Some(0u64);
        std::iter::from_fn(move || {
            let start = next?;
            let end = (start + size).min(length);
            next = (end < length).then_some(start + step);
            Some((start as u32, (end - start) as u32))
        })
    }
}

/// One item of a batch: which frames of which utterance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Item {
    /// The utterance's index in the lengths that were planned.
    pub utterance: usize,
    /// The first frame; 0 unless the item is a chunk.
    pub start: u32,
    /// The number of frames.
    pub length: u32,
}

/// Where a chunk comes from; its length is kept with the other lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub utterance: u32,
    pub start: u32,
}

/// Every item of a corpus, by item number. Utterances need no table of their own.
pub(crate) struct ItemTable<'a> {
    pub lengths: std::borrow::Cow<'a, [u32]>,
    pub origins: Option<Vec<Origin>>,
    pub dropped: Vec<Dropped>,
}

impl Items {
    pub(crate) fn table<'a>(&self, lengths: &'a [u32]) -> Result<ItemTable<'a>, PlanError> {
        let chunks = match self {
            Items::Utterances => {
                return Ok(ItemTable {
                    lengths: lengths.into(),
                    origins: None,
                    dropped: Vec::new(),
                });
            }
            Items::Chunks(chunks) => chunks,
        };
        let items: u64 = lengths.iter().map(|&length| chunks.count(length)).sum();
        if items > MAX_ITEMS as u64 {
            return Err(PlanError::TooManyItems { items });
        }
        let (mut chunk_lengths, mut origins, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
        for (utterance, &length) in lengths.iter().enumerate() {
            for (start, length) in chunks.cut(length) {
                if length < chunks.minimum() {
                    dropped.push(Dropped {
                        item: Item {
                            utterance,
                            start,
                            length,
                        },
                        reason: DropReason::ShorterThanMinimum,
                    });
                } else {
                    chunk_lengths.push(length);
                    origins.push(Origin {
                        utterance: utterance as u32,
                        start,
                    });
                }
            }
        }
        Ok(ItemTable {
            lengths: chunk_lengths.into(),
            origins: Some(origins),
            dropped,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(size: u32, step: Option<u32>, length: u32) -> Vec<(u32, u32)> {
        Chunks {
            size,
            step,
            minimum: None,
        }
        .cut(length)
        .collect()
    }

    #[test]
    fn chunks_tile_the_utterance() {
        assert_eq!(cut(50, None, 120), [(0, 50), (50, 50), (100, 20)]);
        assert_eq!(cut(50, None, 100), [(0, 50), (50, 50)]);
        assert_eq!(cut(50, None, 7), [(0, 7)]);
    }

    #[test]
    fn overlapping_chunks_stop_at_the_first_that_reaches_the_end() {
        assert_eq!(cut(50, Some(25), 100), [(0, 50), (25, 50), (50, 50)]);
        assert_eq!(
            cut(50, Some(25), 101),
            [(0, 50), (25, 50), (50, 50), (75, 26)]
        );
    }

    #[test]
    fn chunks_are_counted_as_they_are_cut() {
        for (size, step) in [(50, None), (50, Some(1)), (50, Some(20)), (1, None)] {
            let chunks = Chunks {
                size,
                step,
                minimum: None,
            };
            for length in 1..160 {
                let cut = chunks.cut(length).count() as u64;
                assert_eq!(chunks.count(length), cut, "{chunks:?} of {length}");
            }
        }
    }

    #[test]
    fn too_many_chunks_are_refused_before_any_is_made() {
        let items = Items::Chunks(Chunks {
            size: 1,
            step: None,
            minimum: None,
        });
        let refused = items.table(&[crate::plan::MAX_LENGTH; 1000]);
        let items = 1000 * u64::from(crate::plan::MAX_LENGTH);
        assert_eq!(refused.err(), Some(PlanError::TooManyItems { items }));
    }

    #[test]
    fn chunks_under_the_minimum_are_dropped_with_a_reason() {
        let items = Items::Chunks(Chunks {
            size: 50,
            step: None,
            minimum: Some(25),
        });
        let table = items.table(&[60, 80, 10]).expect("a table");
        assert_eq!(table.lengths.as_ref(), [50, 50, 30]);
        let dropped: Vec<_> = table
            .dropped
            .iter()
            .map(|d| (d.item.utterance, d.item.start, d.item.length))
            .collect();
        assert_eq!(dropped, [(0, 50, 10), (2, 0, 10)]);
    }
}
