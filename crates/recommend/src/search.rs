//! The search: predicts every candidate, finds the Pareto front of time against randomness, and chooses.
//!
//! A large corpus is searched on a sample. The strategies that matter are then planned on all lengths.

use std::ops::ControlFlow;

use padwise_sampler::{Batching, Items, Strategy, portion};
use serde::Serialize;

use crate::candidates::{Corpus, candidates, for_sample};
use crate::cost::CostModel;
use crate::error::RecommendError;
use crate::evidence::{Verdict, evidence};
use crate::prediction::{Measured, Prediction, measure};

/// Utterances of the sample that a large corpus is searched on.
const SAMPLE: usize = 100_000;
/// Corpora up to this size are searched as a whole.
const WHOLE: usize = 2 * SAMPLE;
/// The seed of all plans. Predictions hardly depend on it.
const SEED: u64 = 0;
/// A faster strategy must save more than this share of the time, or the more random one is chosen.
const WORTHWHILE: f64 = 0.02;

/// What to search for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Frames of every utterance.
    pub lengths: &'a [u32],
    /// The costs of the device.
    pub cost: &'a CostModel,
    /// Utterances per batch.
    pub batch_size: u32,
    /// The most memory that a step may use, in bytes.
    pub memory: Option<u64>,
    /// The least randomness of the recommended strategy, from 0 to 1.
    pub min_randomness: f64,
    /// Whether utterances may be cut into chunks. This needs a label for every frame.
    pub with_chunks: bool,
}

impl<'a> Request<'a> {
    /// The least randomness unless the user asks for another: four of five pairs in a batch are new in every epoch.
    pub const MIN_RANDOMNESS: f64 = 0.8;

    /// A request without memory limit, for whole utterances.
    pub fn new(lengths: &'a [u32], cost: &'a CostModel, batch_size: u32) -> Self {
        Self {
            lengths,
            cost,
            batch_size,
            memory: None,
            min_randomness: Self::MIN_RANDOMNESS,
            with_chunks: false,
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug, Serialize)]
pub struct Search {
    /// All strategies, the fastest first.
    pub predictions: Vec<Prediction>,
    /// Index of random batches.
    pub baseline: usize,
    /// Index of the recommended strategy.
    pub recommended: usize,
    /// Index of the runner-up: the fastest other strategy that is random enough and not worse in records.
    pub runner_up: Option<usize>,
    /// Utterances that were planned for strategies off the front; smaller than the corpus if it is large.
    pub sampled: usize,
}

/// Called before every plan with the number of finished and of all plans. Return `Break` to end the search.
pub type Progress<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

/// Predicts all candidates and chooses one.
pub fn search(request: &Request, progress: &mut Progress) -> Result<Search, RecommendError> {
    let corpus = Corpus::of(request.lengths);
    let all = candidates(corpus, request.batch_size, request.with_chunks)?;
    let sample = sample(request.lengths)?;
    let lengths = sample.as_deref().unwrap_or(request.lengths);
    let share = lengths.len() as f64 / request.lengths.len().max(1) as f64;
    let mut done = 0;
    let mut tick = |total: usize| {
        done += 1;
        match progress(done - 1, total) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(RecommendError::Interrupted),
        }
    };
    let mut predictions = Vec::new();
    for strategy in &all {
        tick(all.len())?;
        match measure(lengths, &for_sample(strategy, share), request.cost, SEED) {
            Ok(measured) => {
                predictions.push(prediction(strategy, measured.scaled(1.0 / share), corpus))
            }
            // A family that this corpus cannot be planned with is no candidate; random can always be planned.
            Err(error) if predictions.is_empty() => return Err(error.into()),
            Err(_) => {}
        }
    }
    rank(&mut predictions, request.memory);
    if sample.is_some() {
        let finalists = finalists(&predictions, request);
        let total = all.len() + finalists.len();
        for index in finalists {
            tick(total)?;
            let strategy = predictions[index].strategy.clone();
            let measured = measure(request.lengths, &strategy, request.cost, SEED)?;
            predictions[index] = prediction(&strategy, measured, corpus);
        }
        rank(&mut predictions, request.memory);
    }
    choose(predictions, request, lengths.len())
}

impl Measured {
    /// What holds for a sample, for a corpus that is this much larger.
    fn scaled(self, factor: f64) -> Self {
        Self {
            epoch_seconds: self.epoch_seconds * factor,
            steps: (self.steps as f64 * factor).round() as usize,
            dropped: (self.dropped as f64 * factor).round() as usize,
            ..self
        }
    }
}

/// The lengths of a random sample, or `None` if the corpus is small enough.
fn sample(lengths: &[u32]) -> Result<Option<Vec<u32>>, RecommendError> {
    if lengths.len() <= WHOLE {
        return Ok(None);
    }
    let chosen = portion(lengths.len(), SEED, 0, 0, lengths.len() / SAMPLE)?;
    Ok(Some(
        chosen.into_iter().map(|index| lengths[index]).collect(),
    ))
}

fn prediction(strategy: &Strategy, measured: Measured, corpus: Corpus) -> Prediction {
    let Measured {
        epoch_seconds,
        peak_bytes,
        padding,
        steps,
        randomness,
        dropped,
    } = measured;
    Prediction {
        strategy: strategy.clone(),
        epoch_seconds,
        speed_up: 1.0,
        peak_bytes,
        padding,
        steps,
        randomness,
        dropped,
        on_front: false,
        evidence: evidence(strategy, corpus.utterances),
    }
}

/// Sorts by time, computes speed-ups and marks the front.
fn rank(predictions: &mut [Prediction], memory: Option<u64>) {
    let baseline = predictions
        .iter()
        .find(|prediction| prediction.evidence.verdict == Verdict::Baseline)
        .map_or(0.0, |prediction| prediction.epoch_seconds);
    predictions.sort_by(|a, b| {
        let time = a.epoch_seconds.total_cmp(&b.epoch_seconds);
        time.then(b.randomness.total_cmp(&a.randomness))
    });
    let mut most_random = -1.0;
    for prediction in predictions {
        prediction.speed_up = baseline / prediction.epoch_seconds;
        let fits = memory.is_none_or(|memory| prediction.peak_bytes <= memory);
        prediction.on_front =
            fits && prediction.dropped == 0 && prediction.randomness > most_random;
        if prediction.on_front {
            most_random = prediction.randomness;
        }
    }
}

/// Strategies whose numbers are shown or compared closely: the front, random, and all that could be recommended.
fn finalists(predictions: &[Prediction], request: &Request) -> Vec<usize> {
    let matters = |prediction: &Prediction| prediction.on_front || is_eligible(prediction, request);
    (0..predictions.len())
        .filter(|&index| matters(&predictions[index]))
        .collect()
}

/// Whether records support a strategy for training whole utterances with the requested batch size and memory.
fn is_eligible(prediction: &Prediction, request: &Request) -> bool {
    let verdict = prediction.evidence.verdict;
    is_possible(prediction, request)
        && matches!(verdict, Verdict::Baseline | Verdict::NoDifference)
        && prediction.strategy.items == Items::Sequences
        && matches!(prediction.strategy.batching, Batching::Fixed { .. })
}

/// Whether a strategy fits into memory and drops nothing.
fn is_possible(prediction: &Prediction, request: &Request) -> bool {
    let fits = request
        .memory
        .is_none_or(|memory| prediction.peak_bytes <= memory);
    fits && prediction.dropped == 0
}

fn choose(
    predictions: Vec<Prediction>,
    request: &Request,
    sampled: usize,
) -> Result<Search, RecommendError> {
    let is_random = |prediction: &Prediction| prediction.randomness >= request.min_randomness;
    let mut supported = (0..predictions.len()).filter(|&index| {
        is_eligible(&predictions[index], request) && is_random(&predictions[index])
    });
    let fastest = supported.next();
    let possible = |index: &usize| {
        is_possible(&predictions[*index], request) && is_random(&predictions[*index])
    };
    let Some(recommended) = fastest.or_else(|| (0..predictions.len()).find(possible)) else {
        return Err(nothing(&predictions, request));
    };
    // Among strategies that are about as fast, take the most random one.
    let limit = predictions[recommended].epoch_seconds * (1.0 + WORTHWHILE);
    let about_as_fast = supported.filter(|&index| predictions[index].epoch_seconds <= limit);
    let recommended = about_as_fast.fold(recommended, |best, index| {
        match predictions[index].randomness > predictions[best].randomness {
            true => index,
            false => best,
        }
    });
    // Nothing that records advise against.
    let not_worse = |index: usize| predictions[index].evidence.verdict != Verdict::Worse;
    let mut others =
        (0..predictions.len()).filter(|index| *index != recommended && possible(index));
    let runner_up = others.find(|&index| not_worse(index));
    let baseline = predictions
        .iter()
        .position(|prediction| prediction.evidence.verdict == Verdict::Baseline)
        .unwrap_or(recommended);
    Ok(Search {
        predictions,
        baseline,
        recommended,
        runner_up,
        sampled,
    })
}

/// Why nothing can be recommended.
fn nothing(predictions: &[Prediction], request: &Request) -> RecommendError {
    let possible = predictions
        .iter()
        .filter(|prediction| is_possible(prediction, request));
    if let Some(most) = possible
        .map(|prediction| prediction.randomness)
        .reduce(f64::max)
    {
        return RecommendError::NotRandomEnough {
            requested: request.min_randomness,
            most,
        };
    }
    let mb = |bytes: u64| bytes.div_ceil(1_000_000);
    let limit = request.memory.unwrap_or(u64::MAX);
    let needed = predictions
        .iter()
        .map(|prediction| prediction.peak_bytes)
        .min()
        .unwrap_or(0);
    let longest = request.lengths.iter().copied().max().unwrap_or(0);
    let fits = (1..request.batch_size)
        .rev()
        .find(|&size| request.cost.memory.bytes(size as usize, longest) <= limit);
    RecommendError::NothingFits {
        batch_size: request.batch_size,
        limit_mb: mb(limit),
        needed_mb: mb(needed),
        remedy: match fits {
            Some(size) => format!("set --batch-size {size}"),
            None => "the longest utterance alone does not fit: use a smaller model or more memory"
                .into(),
        },
    }
}
