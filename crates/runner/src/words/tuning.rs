//! Tunes the scale of the language model on the validation set.
//!
//! The word error rate has one minimum over the scale, apart from noise. The search starts in the middle of the usual range and walks downhill, so it tries about
//! five scales. The beam follows the scale. All strategies then use the same scale, so none has an advantage from tuning.

use padwise_decoder::WordErrors;
use padwise_experiment_config::WordsConfig;
use padwise_features::{Corpus, CorpusError};
use padwise_report::record::TunedScale;

use super::{Recogniser, References, WordSettings, decode_set};

/// The scales that are tried.
const SCALES: [f64; 14] = [
    1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 15.0,
];

/// The position of the first scale.
const FIRST: usize = 8;

/// Frames to decode for each scale: about 25 minutes of speech.
const MOST_FRAMES: u64 = 150_000;

/// Tries scales and returns them in increasing order. `posteriors` has the utterances of `references` in the same order.
pub fn tune(
    recogniser: &Recogniser,
    config: &WordsConfig,
    posteriors: &dyn Corpus,
    references: &References,
    pool: &rayon::ThreadPool,
    should_continue: impl Fn() -> bool + Sync,
) -> Result<Vec<TunedScale>, CorpusError> {
    let chosen = sample(posteriors.lengths());
    let mut tried: Vec<Option<TunedScale>> = vec![None; SCALES.len()];
    let mut attempt = |at: usize| -> Result<f64, CorpusError> {
        if let Some(known) = &tried[at] {
            return Ok(known.word_error_percent);
        }
        let settings = WordSettings::new(config, SCALES[at]);
        let found = decode_set(
            recogniser,
            &settings,
            posteriors,
            &chosen,
            pool,
            &should_continue,
        )?;
        let mut errors = WordErrors::default();
        for (&utterance, words) in chosen.iter().zip(&found.words) {
            errors += recogniser.errors(&references.words[utterance], words);
        }
        let word_error_percent = errors.percent().unwrap_or(0.0);
        tried[at] = Some(TunedScale {
            lm_scale: SCALES[at],
            beam: config.beam(SCALES[at]),
            word_error_percent,
        });
        Ok(word_error_percent)
    };
    let mut best = FIRST;
    loop {
        let mut next = best;
        for neighbour in [best.wrapping_sub(1), best + 1] {
            if neighbour < SCALES.len() && attempt(neighbour)? < attempt(next)? {
                next = neighbour;
            }
        }
        if next == best || !should_continue() {
            break;
        }
        best = next;
    }
    Ok(tried.into_iter().flatten().collect())
}

/// The best of the tried scales; of equal ones, the first.
pub fn best(tried: &[TunedScale]) -> Option<&TunedScale> {
    tried
        .iter()
        .min_by(|one, other| one.word_error_percent.total_cmp(&other.word_error_percent))
}

/// Utterances from the whole list, evenly spaced, with about [`MOST_FRAMES`] frames.
fn sample(lengths: &[u32]) -> Vec<usize> {
    let total: u64 = lengths.iter().map(|&frames| u64::from(frames)).sum();
    let step = total.div_ceil(MOST_FRAMES).max(1) as usize;
    (0..lengths.len()).step_by(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_validation_sets_are_sampled_evenly() {
        assert_eq!(sample(&[100; 3]), [0, 1, 2]);
        let chosen = sample(&[1000; 400]);
        assert_eq!(chosen.len(), 134);
        assert_eq!(&chosen[..3], [0, 3, 6]);
        assert!(sample(&[]).is_empty());
    }
}
