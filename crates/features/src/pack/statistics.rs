//! Mean and deviation of each dimension over a whole corpus.
//!
//! They are gathered from the numbers as they are stored, in their order, so a pack written in one go and one written
//! in five carry the same ones.

use serde::{Deserialize, Serialize};

/// Mean and standard deviation of each dimension, over all frames.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// The frames they were taken over.
    pub frames: u64,
    /// The mean of each dimension.
    pub mean: Vec<f32>,
    /// The standard deviation of each dimension; 0 for one that never changes.
    pub deviation: Vec<f32>,
}

/// Sums on the way to statistics.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    frames: u64,
    sum: Vec<f64>,
    squares: Vec<f64>,
}

impl Sums {
    pub fn new(dims: usize) -> Self {
        Sums {
            frames: 0,
            sum: vec![0.0; dims],
            squares: vec![0.0; dims],
        }
    }

    pub fn add(&mut self, features: &[f32]) {
        for frame in features.chunks_exact(self.sum.len().max(1)) {
            self.frames += 1;
            for ((&x, sum), squares) in frame.iter().zip(&mut self.sum).zip(&mut self.squares) {
                *sum += f64::from(x);
                *squares += f64::from(x) * f64::from(x);
            }
        }
    }

    pub fn statistics(&self) -> Statistics {
        let frames = self.frames.max(1) as f64;
        let mean: Vec<f64> = self.sum.iter().map(|sum| sum / frames).collect();
        let deviation = self
            .squares
            .iter()
            .zip(&mean)
            .map(|(squares, mean)| (squares / frames - mean * mean).max(0.0).sqrt() as f32)
            .collect();
        Statistics {
            frames: self.frames,
            mean: mean.iter().map(|&mean| mean as f32).collect(),
            deviation,
        }
    }
}

impl Statistics {
    /// Takes the mean from every frame and divides by the deviation, in place. A dimension that never changes keeps
    /// its scale.
    pub fn apply(&self, features: &mut [f32]) {
        for frame in features.chunks_exact_mut(self.mean.len().max(1)) {
            for ((x, mean), &deviation) in frame.iter_mut().zip(&self.mean).zip(&self.deviation) {
                *x = (*x - mean) / if deviation > 0.0 { deviation } else { 1.0 };
            }
        }
    }

    /// The statistics of these frames alone.
    pub fn of(features: &[f32], dims: usize) -> Self {
        let mut sums = Sums::new(dims);
        sums.add(features);
        sums.statistics()
    }
}
