//! Statistics of a training set.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::moments::{Moments, MomentsError};
use crate::matrix::Matrix;

/// The scope of the mean and variance used for normalisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Normalisation {
    /// No normalisation.
    None,
    /// Mean and variance of the utterance.
    Utterance,
    /// Mean and variance of the speaker in the training set; those of the whole set if the speaker is not in it.
    Speaker,
    /// Mean and variance of the whole training set.
    #[default]
    Global,
}

impl Normalisation {
    /// Whether it needs statistics of a training set.
    pub(super) fn is_learnt(self) -> bool {
        matches!(self, Normalisation::Speaker | Normalisation::Global)
    }
}

/// Statistics of a training set. Accumulate only the training set, so that no information leaks from the validation and
/// test sets.
///
/// ```
/// use padwise_features::Matrix;
/// use padwise_features::normalisation::{Normalisation, Statistics};
///
/// let mut statistics = Statistics::new(Normalisation::Global, 1);
/// statistics.accumulate("ann", &Matrix::from_rows(1, vec![1.0, 3.0]))?;
/// let mut features = Matrix::from_rows(1, vec![2.0, 4.0]);
/// statistics.apply("bob", &mut features)?;
/// assert_eq!(features.as_slice(), [0.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Statistics {
    normalisation: Normalisation,
    global: Moments,
    speakers: BTreeMap<String, Moments>,
}

impl Statistics {
    /// Empty statistics for features of `dims` dimensions.
    pub fn new(normalisation: Normalisation, dims: usize) -> Self {
        Statistics {
            normalisation,
            global: Moments::new(dims),
            speakers: BTreeMap::new(),
        }
    }

    /// The kind of normalisation.
    pub fn normalisation(&self) -> Normalisation {
        self.normalisation
    }

    /// Mean and variance over all utterances.
    pub fn global(&self) -> &Moments {
        &self.global
    }

    /// Mean and variance of each speaker, if normalising per speaker.
    pub fn speakers(&self) -> &BTreeMap<String, Moments> {
        &self.speakers
    }

    /// Adds an utterance of the training set.
    ///
    /// # Errors
    /// The number of dimensions differs.
    pub fn accumulate(&mut self, speaker: &str, features: &Matrix) -> Result<(), MomentsError> {
        let moments = Moments::of(features);
        self.global.merge(&moments)?;
        if self.normalisation == Normalisation::Speaker {
            self.merge_speaker(speaker, &moments)?;
        }
        Ok(())
    }

    /// Adds the statistics of another part of the corpus. Merging in the same order gives identical bits; another order differs by rounding.
    ///
    /// # Errors
    /// The number of dimensions differs.
    pub fn merge(&mut self, other: &Statistics) -> Result<(), MomentsError> {
        self.global.merge(&other.global)?;
        for (speaker, moments) in &other.speakers {
            self.merge_speaker(speaker, moments)?;
        }
        Ok(())
    }

    fn merge_speaker(&mut self, speaker: &str, moments: &Moments) -> Result<(), MomentsError> {
        let own = self.speakers.entry(speaker.into());
        let nothing_yet = || Moments::new(moments.dims());
        own.or_insert_with(nothing_yet).merge(moments)
    }

    /// Normalises the features of an utterance from any set.
    ///
    /// # Errors
    /// The number of dimensions differs, or there are no statistics.
    pub fn apply(&self, speaker: &str, features: &mut Matrix) -> Result<(), MomentsError> {
        match self.normalisation {
            Normalisation::None => Ok(()),
            Normalisation::Utterance if features.rows() == 0 => Ok(()),
            Normalisation::Utterance => Moments::of(features).apply(features),
            Normalisation::Speaker => {
                let speaker = self.speakers.get(speaker);
                speaker.unwrap_or(&self.global).apply(features)
            }
            Normalisation::Global => self.global.apply(features),
        }
    }
}
