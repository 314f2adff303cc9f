//! Length profiles: the distributions of sequence lengths in known corpora.
//!
//! Padding depends on lengths only, so a distribution of lengths is enough to compare strategies. Each profile is a table
//! of quantiles of the real lengths, and generates any number of lengths with that distribution.

mod chime4;
mod librispeech;
mod ljspeech;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::bounds::MAX_ITEMS;
use crate::excerpt::excerpt;
use crate::random::Seeds;

/// A corpus with a built-in length distribution.
///
/// ```
/// use padwise_sampler::Profile;
///
/// let profile: Profile = "ljspeech".parse()?;
/// let lengths = profile.lengths(profile.sequences());
/// assert_eq!(lengths.len(), 10_480);
/// assert!(lengths.iter().all(|frames| (89..=807).contains(frames)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Profile {
    /// LJSpeech's training split, read speech of one speaker: 10,480 sequences in frames of 12.5 ms.
    LjSpeech,
    /// CHiME-4's training sets, noisy read speech: 8,738 sequences in frames of 10 ms, mostly estimated.
    Chime4,
    /// LibriSpeech dev-clean and test-clean, audiobooks: 5,323 sequences in frames of 10 ms.
    LibriSpeech,
}

/// An unknown profile name.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown length profile `{}`; profiles are ljspeech, chime4 and librispeech", excerpt(.name))]
#[non_exhaustive]
pub struct ParseProfileError {
    /// The given name.
    pub name: String,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 3] = [Profile::LjSpeech, Profile::Chime4, Profile::LibriSpeech];

    /// The name on the command line and in configs.
    pub fn name(self) -> &'static str {
        match self {
            Profile::LjSpeech => "ljspeech",
            Profile::Chime4 => "chime4",
            Profile::LibriSpeech => "librispeech",
        }
    }

    /// A one-line description of the corpus, for table captions.
    pub fn description(self) -> &'static str {
        match self {
            Profile::LjSpeech => "LJSpeech training split, frames of 12.5 ms",
            Profile::Chime4 => "CHiME-4 training sets, frames of 10 ms, mostly estimated",
            Profile::LibriSpeech => "LibriSpeech dev-clean and test-clean, frames of 10 ms",
        }
    }

    /// The frame shift in milliseconds.
    pub fn hop_ms(self) -> f64 {
        match self {
            Profile::LjSpeech => 12.5,
            Profile::Chime4 | Profile::LibriSpeech => 10.0,
        }
    }

    /// The number of sequences in the corpus.
    pub fn sequences(self) -> usize {
        match self {
            Profile::LjSpeech => ljspeech::SEQUENCES,
            Profile::Chime4 => chime4::SEQUENCES,
            Profile::LibriSpeech => librispeech::SEQUENCES,
        }
    }

    /// The length that a fraction `probability` of the sequences does not exceed. Values outside 0 to 1 are clamped, and
    /// NaN counts as 0.
    pub fn quantile(self, probability: f64) -> u32 {
        let table: &[u32] = match self {
            Profile::LjSpeech => &ljspeech::QUANTILES,
            Profile::Chime4 => &chime4::QUANTILES,
            Profile::LibriSpeech => &librispeech::QUANTILES,
        };
        let last = table.len() - 1;
        // `f64::max` ignores NaN.
        let position = probability.max(0.0).clamp(0.0, 1.0) * last as f64;
        let low = (position as usize).min(last - 1);
        let (from, to) = (f64::from(table[low]), f64::from(table[low + 1]));
        (from + (position - low as f64) * (to - from)).round() as u32
    }

    /// Returns `count` lengths, spread evenly over the distribution, in a fixed random order. The result is always the
    /// same. `count` is limited to 2,147,483,647, the maximum size of a plan.
    pub fn lengths(self, count: usize) -> Vec<u32> {
        let count = count.min(MAX_ITEMS);
        let order = Seeds::new(0, 0, 0).permutation(count);
        order
            .into_iter()
            .map(|i| self.quantile((f64::from(i) + 0.5) / count as f64))
            .collect()
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = ParseProfileError;

    fn from_str(name: &str) -> Result<Self, ParseProfileError> {
        Profile::ALL
            .into_iter()
            .find(|profile| profile.name() == name)
            .ok_or_else(|| ParseProfileError { name: name.into() })
    }
}
