//! Weighted means and sums of vectors, in rank order.
//!
//! Every element depends on the elements of the same index alone. So a slice of the result has the same bits whether it is computed
//! from slices or from whole vectors, and every engine gives the same result.

/// Elements per pass, so that the f64 sums stay in the first-level cache.
const CHUNK: usize = 1024;

/// Weights or vectors that have no mean.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeanError {
    /// A weight is negative or not finite.
    #[error("rank {rank} has weight {weight}; weights must be finite and not negative")]
    Weight {
        /// The rank with this weight.
        rank: usize,
        /// Its weight.
        weight: f64,
    },
    /// All weights are zero, or there are none.
    #[error("all {0} weights are zero; at least one rank needs a positive weight")]
    NoWeight(usize),
    /// There are more or fewer vectors than weights.
    #[error("{vectors} vectors for {weights} weights; pass one vector per weight")]
    Count {
        /// The number of vectors.
        vectors: usize,
        /// The number of weights.
        weights: usize,
    },
    /// A vector is longer or shorter than the result.
    #[error("the vector of rank {rank} has {length} values, but the result has {expected}")]
    Length {
        /// The rank with this vector.
        rank: usize,
        /// The length of its vector.
        length: usize,
        /// The length of the result.
        expected: usize,
    },
}

/// Writes the weighted mean Σ wᵣvᵣ / Σ wᵣ of one vector per rank to `out`.
///
/// Sums are in f64 and in rank order. Equal weights give the plain mean, and a single vector with a positive weight is returned
/// unchanged. A rank with weight 0 is ignored, even if its values are not finite.
///
/// # Errors
///
/// Returns an error if a weight is negative or not finite, all are zero, or counts or lengths differ.
pub fn weighted_mean(
    vectors: &[&[f32]],
    weights: &[f64],
    out: &mut [f32],
) -> Result<(), MeanError> {
    Weights::new(weights)?.mean(vectors, out)
}

/// Validated weights, for means of many slices.
pub(crate) struct Weights {
    /// Divided by the largest one: equal weights become exactly 1, and no sum overflows.
    relative: Vec<f64>,
    total: f64,
}

impl Weights {
    pub(crate) fn new(weights: &[f64]) -> Result<Self, MeanError> {
        let invalid = |weight: &f64| !weight.is_finite() || *weight < 0.0;
        if let Some(rank) = weights.iter().position(invalid) {
            let weight = weights[rank];
            return Err(MeanError::Weight { rank, weight });
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return Err(MeanError::NoWeight(weights.len()));
        }
        let relative: Vec<f64> = weights.iter().map(|weight| weight / largest).collect();
        let total = relative.iter().sum();
        Ok(Self { relative, total })
    }

    pub(crate) fn mean(&self, vectors: &[&[f32]], out: &mut [f32]) -> Result<(), MeanError> {
        if vectors.len() != self.relative.len() {
            return Err(MeanError::Count {
                vectors: vectors.len(),
                weights: self.relative.len(),
            });
        }
        let expected = out.len();
        let lengths = vectors.iter().map(|vector| vector.len());
        if let Some((rank, length)) = lengths.enumerate().find(|&(_, n)| n != expected) {
            return Err(MeanError::Length {
                rank,
                length,
                expected,
            });
        }
        let mut sums = [0.0; CHUNK];
        for (index, out) in out.chunks_mut(CHUNK).enumerate() {
            let range = index * CHUNK..index * CHUNK + out.len();
            let sums = &mut sums[..out.len()];
            // Starts with -0, which changes no sum: 0 would change the sign of -0.
            sums.fill(-0.0);
            for (vector, &weight) in vectors.iter().zip(&self.relative) {
                if weight > 0.0 {
                    for (sum, &value) in sums.iter_mut().zip(&vector[range.clone()]) {
                        *sum += weight * f64::from(value);
                    }
                }
            }
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = (*sum / self.total) as f32;
            }
        }
        Ok(())
    }
}

/// Writes the sums of the vectors, added in rank order, to `out`.
#[cfg_attr(not(feature = "mpi"), allow(dead_code))]
pub(crate) fn ordered_sum(vectors: &[&[f64]], out: &mut [f64]) {
    out.fill(-0.0);
    for vector in vectors {
        for (sum, value) in out.iter_mut().zip(*vector) {
            *sum += value;
        }
    }
}
