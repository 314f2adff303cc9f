//! Length profiles: how long the sequences of known corpora are.
//!
//! A strategy's padding depends on nothing but lengths, so the distribution of a corpus's lengths is enough to try
//! strategies on it. Each profile is a table of quantiles taken from the real lengths, and can make any number of
//! lengths that follow it.

mod chime4;
mod librispeech;
mod ljspeech;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::bounds::MAX_ITEMS;
use crate::random::Seeds;

/// A corpus whose lengths are built in.
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
    /// LJSpeech's training split, one speaker reading: 10,480 sequences in frames of 12.5 ms.
    LjSpeech,
    /// CHiME-4's training sets, noisy read speech: 8,738 sequences in frames of 10 ms, mostly estimated.
    Chime4,
    /// LibriSpeech dev-clean and test-clean, audiobooks: 5,323 sequences in frames of 10 ms.
    LibriSpeech,
}

/// A name that is no profile's.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown length profile `{name}`; there are ljspeech, chime4 and librispeech")]
#[non_exhaustive]
pub struct ParseProfileError {
    /// What was given.
    pub name: String,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Profile; 3] = [Profile::LjSpeech, Profile::Chime4, Profile::LibriSpeech];

    /// Its name on the command line and in configs.
    pub fn name(self) -> &'static str {
        match self {
            Profile::LjSpeech => "ljspeech",
            Profile::Chime4 => "chime4",
            Profile::LibriSpeech => "librispeech",
        }
    }

    /// What the lengths are of, in a line that can stand under a table.
    pub fn description(self) -> &'static str {
        match self {
            Profile::LjSpeech => "LJSpeech training split, frames of 12.5 ms",
            Profile::Chime4 => "CHiME-4 training sets, frames of 10 ms, mostly estimated",
            Profile::LibriSpeech => "LibriSpeech dev-clean and test-clean, frames of 10 ms",
        }
    }

    /// Milliseconds from one frame to the next.
    pub fn hop_ms(self) -> f64 {
        match self {
            Profile::LjSpeech => 12.5,
            Profile::Chime4 | Profile::LibriSpeech => 10.0,
        }
    }

    /// How many sequences the corpus has.
    pub fn sequences(self) -> usize {
        match self {
            Profile::LjSpeech => ljspeech::SEQUENCES,
            Profile::Chime4 => chime4::SEQUENCES,
            Profile::LibriSpeech => librispeech::SEQUENCES,
        }
    }

    /// The length that a share `probability` of the sequences does not exceed; from 0 to 1, and clamped to that.
    /// What is not a number counts as 0.
    pub fn quantile(self, probability: f64) -> u32 {
        let table: &[u32] = match self {
            Profile::LjSpeech => &ljspeech::QUANTILES,
            Profile::Chime4 => &chime4::QUANTILES,
            Profile::LibriSpeech => &librispeech::QUANTILES,
        };
        let last = table.len() - 1;
        // Of a number and what is not one, `max` takes the number.
        let position = probability.max(0.0).clamp(0.0, 1.0) * last as f64;
        let low = (position as usize).min(last - 1);
        let (from, to) = (f64::from(table[low]), f64::from(table[low + 1]));
        (from + (position - low as f64) * (to - from)).round() as u32
    }

    /// This many lengths, spread evenly over the distribution, in a fixed random order: always the same ones. At most
    /// 2,147,483,647, the most that can be planned; asked for more, it makes that many.
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
