//! Checks the posteriors of another program, and computes their mean.

use padwise_features::Corpus;
use padwise_sampler::excerpt::excerpt;
use rayon::prelude::*;

use super::WordsError;

/// Log posteriors may exceed 0 by this much, because of rounding.
const TOLERANCE: f32 = 1e-3;

/// Checks that all values are log posteriors, on all cores. Returns the mean posterior of each class. `done` is called after each utterance.
pub fn check_posteriors(
    corpus: &dyn Corpus,
    done: impl Fn() + Sync,
) -> Result<Vec<f64>, WordsError> {
    let classes = corpus.dims().max(1);
    let empty = || vec![0.0; classes];
    let mut sums = (0..corpus.len())
        .into_par_iter()
        .try_fold(empty, |mut sums, utterance| {
            let (scores, _) = corpus.read(utterance)?;
            for (frame, row) in scores.as_slice().chunks_exact(classes).enumerate() {
                for (class, (&score, sum)) in row.iter().zip(&mut sums).enumerate() {
                    if score.is_nan() || score > TOLERANCE {
                        return Err(wrong(corpus.id(utterance), frame, class, score));
                    }
                    *sum += f64::from(score).exp();
                }
            }
            done();
            Ok(sums)
        })
        .try_reduce(empty, |mut one, other| {
            one.iter_mut()
                .zip(other)
                .for_each(|(one, other)| *one += other);
            Ok(one)
        })?;
    let total: f64 = sums.iter().sum();
    if total > 0.0 {
        sums.iter_mut().for_each(|sum| *sum /= total);
    }
    Ok(sums)
}

fn wrong(id: &str, frame: usize, class: usize, score: f32) -> WordsError {
    let reason = if score.is_nan() {
        "not a number"
    } else {
        "expected the natural logarithm of a probability, which is at most 0"
    };
    WordsError::Unsuitable(format!(
        "utterance {}, frame {frame}, class {class}: {score}: {reason}",
        excerpt(id)
    ))
}
