//! The search: predicts every candidate, finds the Pareto front of time against randomness, and chooses.
//!
//! A large corpus is searched on a sample. The strategies that matter are then planned on all lengths.

use std::ops::ControlFlow;

use padwise_sampler::{Batching, Items, Strategy, portion};
use serde::Serialize;

use crate::candidates::{candidates, for_sample};
use crate::corpus::Corpus;
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
    /// The least randomness of the recommended strategy, from 0 to 1. Random batches are always random enough.
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
}

/// Called before every plan with the number of finished and of all plans. Return `Break` to end the search.
pub type Progress<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

/// Predicts all candidates and chooses one.
pub fn search(request: &Request, progress: &mut Progress) -> Result<Search, RecommendError> {
    if request.memory.is_some() && request.cost.memory.is_none() {
        return Err(RecommendError::MemoryUnknown);
    }
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
    let mut predictions: Vec<Prediction> = Vec::new();
    for strategy in &all {
        tick(all.len())?;
        match measure(lengths, &for_sample(strategy, share), request.cost, SEED) {
            Ok(measured) => {
                let mut found = prediction(strategy, measured.scaled(1.0 / share), corpus);
                found.sampled = sample.is_some();
                predictions.push(found);
            }
            // A family that this corpus cannot be planned with is no candidate; random can always be planned.
            Err(error) if predictions.is_empty() => return Err(error.into()),
            Err(_) => {}
        }
    }
    let mut total = all.len();
    loop {
        rank(&mut predictions, request.memory);
        let choice = choose(&predictions, request)?;
        let matters = |index: usize| predictions[index].on_front || choice.names(index);
        let inexact: Vec<usize> = (0..predictions.len())
            .filter(|&index| predictions[index].sampled && matters(index))
            .collect();
        if inexact.is_empty() {
            return Ok(Search {
                predictions,
                baseline: choice.baseline,
                recommended: choice.recommended,
                runner_up: choice.runner_up,
            });
        }
        total += inexact.len();
        for index in inexact {
            tick(total)?;
            let strategy = predictions[index].strategy.clone();
            let measured = measure(request.lengths, &strategy, request.cost, SEED)?;
            predictions[index] = prediction(&strategy, measured, corpus);
        }
    }
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
        sampled: false,
        evidence: evidence(strategy, corpus),
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
        let fits = memory.is_none_or(|memory| prediction.peak_bytes <= Some(memory));
        prediction.on_front =
            fits && prediction.dropped == 0 && prediction.randomness > most_random;
        if prediction.on_front {
            most_random = prediction.randomness;
        }
    }
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
        .is_none_or(|memory| prediction.peak_bytes <= Some(memory));
    fits && prediction.dropped == 0
}

/// Indices of the strategies that a recommendation names.
struct Choice {
    baseline: usize,
    recommended: usize,
    runner_up: Option<usize>,
}

impl Choice {
    fn names(&self, index: usize) -> bool {
        [Some(self.baseline), Some(self.recommended), self.runner_up].contains(&Some(index))
    }
}

fn choose(predictions: &[Prediction], request: &Request) -> Result<Choice, RecommendError> {
    let baseline = predictions
        .iter()
        .position(|prediction| prediction.evidence.verdict == Verdict::Baseline);
    // In a small corpus even random batches repeat pairs, and nothing is more random.
    let most = baseline.map_or(1.0, |random| predictions[random].randomness);
    let least = request.min_randomness.min(most);
    let is_random = |index: usize| predictions[index].randomness >= least;
    let supported = (0..predictions.len())
        .filter(|&index| is_eligible(&predictions[index], request) && is_random(index));
    let Some(fastest) = supported.clone().next() else {
        return Err(explain_no_result(predictions, request));
    };
    // Among strategies that are about as fast, take the most random one.
    let limit = predictions[fastest].epoch_seconds * (1.0 + WORTHWHILE);
    let recommended = supported
        .filter(|&index| predictions[index].epoch_seconds <= limit)
        .fold(fastest, |best, index| {
            match predictions[index].randomness > predictions[best].randomness {
                true => index,
                false => best,
            }
        });
    // Nothing that records advise against.
    let runner_up = (0..predictions.len()).find(|&index| {
        let prediction = &predictions[index];
        let is_worse = prediction.evidence.verdict == Verdict::Worse;
        index != recommended && !is_worse && is_possible(prediction, request) && is_random(index)
    });
    Ok(Choice {
        baseline: baseline.unwrap_or(recommended),
        recommended,
        runner_up,
    })
}

/// Why nothing can be recommended.
fn explain_no_result(predictions: &[Prediction], request: &Request) -> RecommendError {
    let limit = request.memory.unwrap_or(u64::MAX);
    let longest = request.lengths.iter().copied().max().unwrap_or(0);
    let fits = |size: u32| {
        let memory = request.cost.memory;
        memory.is_some_and(|memory| memory.bytes(size as usize, longest) <= limit)
    };
    let smaller = (1..request.batch_size).rev().find(|&size| fits(size));
    let mut remedy = match smaller {
        Some(size) => format!("use batches of {size}"),
        None => "the longest utterance alone does not fit, so use a smaller model".into(),
    };
    let possible = predictions.iter().find(|prediction| {
        is_possible(prediction, request) && prediction.evidence.verdict != Verdict::Worse
    });
    if let Some(other) = possible {
        remedy += &format!("; `{}` fits, but is untested", other.strategy);
    }
    RecommendError::NothingFits {
        batch_size: request.batch_size,
        limit_mb: limit.div_ceil(1_000_000),
        remedy,
    }
}
