//! Decodes the posteriors of many utterances on several cores.

use std::time::Instant;

use padwise_decoder::{Decoded, Decoder, SearchSettings, Workspace};
use padwise_experiment_config::WordsConfig;
use padwise_features::{Corpus, CorpusError};
use rayon::prelude::*;

use super::Recogniser;

/// The weights and limits of decoding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordSettings {
    /// The settings of the search.
    pub search: SearchSettings,
    /// Weight of the log priors, which are subtracted from log posteriors.
    pub prior_scale: f32,
}

impl WordSettings {
    /// The settings of a config at a scale of the language model.
    pub fn new(config: &WordsConfig, lm_scale: f64) -> Self {
        WordSettings {
            search: SearchSettings {
                lm_scale: lm_scale as f32,
                word_penalty: config.word_penalty as f32,
                beam: config.beam(lm_scale) as f32,
                max_active: config.max_active,
            },
            prior_scale: config.prior_scale as f32,
        }
    }
}

/// The words found in a set of utterances.
#[derive(Clone, Debug, Default)]
pub struct DecodedSet {
    /// The words of each utterance, as numbers of the lexicon, in the order that was asked for.
    pub words: Vec<Vec<u32>>,
    /// Utterances without a complete path.
    pub incomplete: usize,
    /// Sum of all threads' time, in seconds.
    pub seconds: f64,
    /// Frames.
    pub frames: u64,
}

/// Threads for decoding. While a GPU trains, some cores are left to the process that feeds it.
pub fn decoding_pool(leave: usize) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    rayon::ThreadPoolBuilder::new()
        .num_threads(cores.saturating_sub(leave).max(1))
        .build()
}

/// Decodes the chosen utterances of `posteriors`, log posteriors of classes. `should_continue` is asked before each; after a no, the
/// remaining utterances have no words.
pub fn decode_set(
    recogniser: &Recogniser,
    settings: &WordSettings,
    posteriors: &dyn Corpus,
    chosen: &[usize],
    pool: &rayon::ThreadPool,
    should_continue: impl Fn() -> bool + Sync,
) -> Result<DecodedSet, CorpusError> {
    let decoder = Decoder {
        network: &recogniser.network,
        model: &recogniser.model,
        settings: settings.search,
    };
    let priors: Option<Vec<f32>> = recogniser.log_priors.as_ref().map(|priors| {
        priors
            .iter()
            .map(|prior| settings.prior_scale * prior)
            .collect()
    });
    let decode = |workspace: &mut Workspace, &utterance: &usize| {
        if !should_continue() {
            return Ok((Decoded::default(), 0.0));
        }
        let (mut scores, _) = posteriors.read(utterance)?;
        let start = Instant::now();
        if let Some(priors) = &priors {
            for frame in scores.as_mut_slice().chunks_exact_mut(priors.len()) {
                frame
                    .iter_mut()
                    .zip(priors)
                    .for_each(|(score, prior)| *score -= prior);
            }
        }
        let found = decoder.decode(scores.as_slice(), workspace);
        Ok((found, start.elapsed().as_secs_f64()))
    };
    // The longest first, so that no thread is left with a long one at the end.
    let mut order: Vec<usize> = (0..chosen.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(posteriors.lengths()[chosen[at]]));
    let in_order: Vec<_> = pool.install(|| {
        order
            .par_iter()
            .with_max_len(1)
            .map_init(Workspace::default, |workspace, &at| {
                decode(workspace, &chosen[at])
            })
            .collect::<Result<_, CorpusError>>()
    })?;
    let mut set = DecodedSet {
        words: vec![Vec::new(); chosen.len()],
        ..DecodedSet::default()
    };
    for (&at, (found, seconds)) in order.iter().zip(in_order) {
        set.seconds += seconds;
        set.incomplete += usize::from(!found.complete);
        set.words[at] = found.words;
    }
    let frames = chosen
        .iter()
        .map(|&utterance| posteriors.lengths()[utterance]);
    set.frames = frames.map(u64::from).sum();
    Ok(set)
}
