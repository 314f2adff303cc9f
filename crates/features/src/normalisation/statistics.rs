//! What a training set says about its features.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::moments::{Moments, MomentsError};
use crate::matrix::Matrix;

/// What features are normalised by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Normalisation {
    /// Not at all.
    None,
    /// By the utterance's own mean and variance.
    Utterance,
    /// By the speaker's, as far as the training set knows the speaker, otherwise by those of the whole set.
    Speaker,
    /// By those of the whole training set.
    #[default]
    Global,
}

impl Normalisation {
    /// Whether it is learnt from a training set.
    pub(super) fn is_learnt(self) -> bool {
        matches!(self, Normalisation::Speaker | Normalisation::Global)
    }
}

/// What a training set says about its features. Accumulate the training set only: what is taken from the validation
/// or the test set is known to the model before it should be.
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
    /// Of nothing yet, for features of `dims` dimensions.
    pub fn new(normalisation: Normalisation, dims: usize) -> Self {
        Statistics {
            normalisation,
            global: Moments::new(dims),
            speakers: BTreeMap::new(),
        }
    }

    /// What they are for.
    pub fn normalisation(&self) -> Normalisation {
        self.normalisation
    }

    /// The mean and variance of everything accumulated.
    pub fn global(&self) -> &Moments {
        &self.global
    }

    /// The mean and variance of each speaker, where speakers are kept apart.
    pub fn speakers(&self) -> &BTreeMap<String, Moments> {
        &self.speakers
    }

    /// Adds an utterance of the training set.
    ///
    /// # Errors
    /// It has another number of dimensions.
    pub fn accumulate(&mut self, speaker: &str, features: &Matrix) -> Result<(), MomentsError> {
        let moments = Moments::of(features);
        self.global.merge(&moments)?;
        if self.normalisation == Normalisation::Speaker {
            self.merge_speaker(speaker, &moments)?;
        }
        Ok(())
    }

    /// Adds what another has accumulated: parts of a corpus can be read on all cores. In the same order, the result
    /// is the same to the last bit; in another, to within rounding.
    ///
    /// # Errors
    /// It has another number of dimensions.
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

    /// Normalises the features of an utterance of any set.
    ///
    /// # Errors
    /// It has another number of dimensions, or nothing was accumulated.
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
