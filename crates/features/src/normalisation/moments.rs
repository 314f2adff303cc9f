//! Mean and variance of every dimension over any number of frames.
//!
//! Stored as the mean and the sum of squared deviations, in double precision, and merged with Chan's formula. No large
//! sums are subtracted, so hours of speech are as accurate as seconds.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::matrix::Matrix;

/// Minimum variance for the division: a constant dimension becomes 0 instead of NaN.
pub const VARIANCE_FLOOR: f64 = 1e-8;

/// Invalid or mismatched statistics.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MomentsError {
    /// The numbers of dimensions differ.
    #[error(
        "features have {actual} dimensions but the statistics have {expected}: use statistics of the same front end"
    )]
    Dimensions {
        /// Dimensions of the statistics.
        expected: usize,
        /// Dimensions of the features.
        actual: usize,
    },
    /// Statistics from a file are invalid.
    #[error(
        "invalid statistics ({means} means, {squares} sums of squares, {frames} frames): both counts must be equal, all values finite, no sum negative"
    )]
    Damaged {
        /// Number of frames.
        frames: u64,
        /// Number of means.
        means: usize,
        /// Number of sums of squares.
        squares: usize,
    },
    /// The statistics contain no frames.
    #[error("no statistics to normalise with: accumulate the training set first")]
    Empty,
}

/// Mean and variance of every dimension.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", try_from = "Written")]
pub struct Moments {
    frames: u64,
    mean: Vec<f64>,
    /// Sums of squared deviations from the mean.
    squares: Vec<f64>,
}

impl Moments {
    /// Moments of no frames.
    pub fn new(dims: usize) -> Self {
        Moments {
            frames: 0,
            mean: vec![0.0; dims],
            squares: vec![0.0; dims],
        }
    }

    /// Moments of the frames of one utterance.
    pub fn of(features: &Matrix) -> Self {
        Moments::of_rows(features.as_slice(), features.cols())
    }

    /// Moments of frames of `dims` values, stored row by row.
    pub fn of_rows(features: &[f32], dims: usize) -> Self {
        let mut moments = Moments::new(dims);
        let frames = features.len().checked_div(dims).unwrap_or(0);
        if frames == 0 {
            return moments;
        }
        let rows = || features.chunks_exact(dims);
        for row in rows() {
            for (sum, &value) in moments.mean.iter_mut().zip(row) {
                *sum += f64::from(value);
            }
        }
        for sum in &mut moments.mean {
            *sum /= frames as f64;
        }
        for row in rows() {
            let distances = row.iter().zip(&moments.mean);
            for (sum, (&value, mean)) in moments.squares.iter_mut().zip(distances) {
                let distance = f64::from(value) - mean;
                *sum += distance * distance;
            }
        }
        moments.frames = frames as u64;
        moments
    }

    /// Adds the frames of one utterance.
    ///
    /// # Errors
    /// The number of dimensions differs.
    pub fn accumulate(&mut self, features: &Matrix) -> Result<(), MomentsError> {
        self.merge(&Moments::of(features))
    }

    /// Adds the frames of another.
    ///
    /// # Errors
    /// The number of dimensions differs.
    pub fn merge(&mut self, other: &Moments) -> Result<(), MomentsError> {
        self.same_dims(other.dims())?;
        if other.frames == 0 {
            return Ok(());
        }
        let (own, others) = (self.frames as f64, other.frames as f64);
        let total = own + others;
        for d in 0..self.mean.len() {
            let distance = other.mean[d] - self.mean[d];
            self.mean[d] += distance * (others / total);
            self.squares[d] += other.squares[d] + distance * distance * (own * others / total);
        }
        self.frames = self.frames.saturating_add(other.frames);
        Ok(())
    }

    /// Number of frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Number of dimensions.
    pub fn dims(&self) -> usize {
        self.mean.len()
    }

    /// Mean of each dimension.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Standard deviation of each dimension (division by n, not n − 1), at least the root of [`VARIANCE_FLOOR`].
    pub fn std(&self) -> Vec<f64> {
        let frames = self.frames.max(1) as f64;
        let deviation = |squares: &f64| (squares / frames).max(VARIANCE_FLOOR).sqrt();
        self.squares.iter().map(deviation).collect()
    }

    /// Subtracts the mean and divides by the standard deviation.
    ///
    /// # Errors
    /// The number of dimensions differs, or there are no frames.
    pub fn apply(&self, features: &mut Matrix) -> Result<(), MomentsError> {
        self.same_dims(features.cols())?;
        if self.frames == 0 {
            return Err(MomentsError::Empty);
        }
        let std = self.std();
        for row in features.as_mut_slice().chunks_exact_mut(std.len().max(1)) {
            for ((value, mean), std) in row.iter_mut().zip(&self.mean).zip(&std) {
                *value = ((f64::from(*value) - mean) / std) as f32;
            }
        }
        Ok(())
    }

    pub(super) fn same_dims(&self, actual: usize) -> Result<(), MomentsError> {
        let expected = self.dims();
        if expected == actual {
            return Ok(());
        }
        Err(MomentsError::Dimensions { expected, actual })
    }
}

/// Statistics from a file, not yet checked.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Written {
    frames: u64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl TryFrom<Written> for Moments {
    type Error = MomentsError;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let (means, squares) = (written.mean.len(), written.squares.len());
        let moments = Moments {
            frames: written.frames,
            mean: written.mean,
            squares: written.squares,
        };
        let is_sum = |square: &f64| square.is_finite() && *square >= 0.0;
        let is_sound = means == squares
            && moments.mean.iter().all(|mean| mean.is_finite())
            && moments.squares.iter().all(is_sum);
        if is_sound {
            return Ok(moments);
        }
        let frames = moments.frames;
        Err(MomentsError::Damaged {
            frames,
            means,
            squares,
        })
    }
}
