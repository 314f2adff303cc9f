//! Finds the first feature of an utterance that is NaN or infinite.

use std::fmt;

use super::Corpus;
use crate::matrix::Matrix;

/// A feature that is NaN or infinite, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct NonFinite {
    /// Number of the utterance, from 0.
    pub utterance: usize,
    /// Id of the utterance.
    pub id: String,
    /// Frame of the utterance, from 0.
    pub frame: usize,
    /// Dimension of the frame, from 0.
    pub dimension: usize,
    /// The value: NaN, inf or -inf.
    pub value: f32,
}

impl NonFinite {
    /// Finds the first such value among the `features` of an utterance.
    pub fn first_in(corpus: &dyn Corpus, utterance: usize, features: &Matrix) -> Option<Self> {
        let values = features.as_slice();
        // Most utterances have none: this loop has no early exit, so it is vectorised.
        if values
            .iter()
            .fold(true, |finite, value| finite & value.is_finite())
        {
            return None;
        }
        let (at, &value) = values
            .iter()
            .enumerate()
            .find(|(_, value)| !value.is_finite())?;
        let dims = corpus.dims().max(1);
        Some(NonFinite {
            utterance,
            id: corpus.id(utterance).to_string(),
            frame: at / dims,
            dimension: at % dims,
            value,
        })
    }
}

impl fmt::Display for NonFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "utterance {}, frame {}, dimension {}: {}",
            self.id, self.frame, self.dimension, self.value
        )
    }
}
