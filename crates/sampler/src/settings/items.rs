//! The items of a batch: whole sequences, or chunks of them.
//!
//! Chunks are the sub-utterances of Doetsch, Golik and Ney, "A comparative study of batch construction strategies
//! for recurrent neural networks in MXNet" (2017), table 1. Every sequence is cut from its start into pieces of a fixed
//! size, and the last piece is the remainder. With a step smaller than the size, neighbouring chunks overlap. Cutting
//! stops at the first chunk that reaches the end of the sequence, so no chunk lies entirely inside the previous one.

use crate::bounds::MAX_LENGTH;
use crate::error::StrategyError;

/// The unit that batches consist of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Items {
    /// Whole utterances (sequences).
    #[default]
    #[cfg_attr(feature = "serde", serde(rename = "utterances"))]
    Sequences,
    /// Pieces of sequences.
    Chunks(Chunks),
}

/// How to cut sequences into chunks. All three values are numbers of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Chunks {
    /// The length of a chunk. The last chunk of a sequence can be shorter.
    #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
    pub size: u32,
    /// Frames between the starts of two chunks; by default chunks do not overlap. Default: the chunk's `size`.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
    pub step: Option<u32>,
    /// Drop chunks shorter than this; the `dropped` column counts them. Default: `1`.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    #[cfg_attr(feature = "schemars", schemars(range(min = 1)))]
    pub minimum: Option<u32>,
}

impl Items {
    pub(crate) fn validate(&self) -> Result<(), StrategyError> {
        let chunks = self.chunks();
        let (size, step, minimum) = (chunks.size, chunks.step(), chunks.minimum());
        StrategyError::check_range("chunk", size)?;
        StrategyError::check_range("step", step)?;
        StrategyError::check_range("min-chunk", minimum)?;
        if step > size {
            return Err(StrategyError::StepSkipsFrames { size, step });
        }
        if minimum > size {
            return Err(StrategyError::MinimumOverSize { size, minimum });
        }
        Ok(())
    }

    /// How to cut sequences. Whole sequences are chunks of the maximum length.
    pub(crate) fn chunks(&self) -> Chunks {
        match *self {
            Items::Sequences => Chunks::new(MAX_LENGTH),
            Items::Chunks(chunks) => chunks,
        }
    }
}

impl Chunks {
    /// Chunks of this many frames, without overlap or minimum.
    pub fn new(size: u32) -> Self {
        Chunks {
            size,
            step: None,
            minimum: None,
        }
    }

    /// Frames between the starts of two chunks.
    pub fn step(&self) -> u32 {
        self.step.unwrap_or(self.size)
    }

    /// The length of the shortest chunk to keep.
    pub fn minimum(&self) -> u32 {
        self.minimum.unwrap_or(1)
    }

    /// The number of chunks that [`cut`](Self::cut) returns.
    pub(crate) fn count(self, length: u32) -> u64 {
        1 + u64::from(length.saturating_sub(self.size).div_ceil(self.step()))
    }

    /// The chunks of one sequence as (start, length), including chunks below the minimum.
    pub(crate) fn cut(self, length: u32) -> impl Iterator<Item = (u32, u32)> {
        (0..self.count(length) as u32).map(move |index| {
            let start = index * self.step();
            (start, self.size.min(length - start))
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
    fn chunks_tile_the_sequence() {
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
}
