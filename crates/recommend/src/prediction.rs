//! Time, memory, padding and randomness of a strategy on a corpus, predicted without training.

use padwise_sampler::{Batching, Plan, PlanError, Sampler, Strategy, pair_recurrence};
use serde::{Serialize, Serializer};

use crate::cost::CostModel;
use crate::evidence::Evidence;

/// The predictions for one strategy.
#[derive(Clone, Debug, Serialize)]
pub struct Prediction {
    /// The strategy in its one-line form.
    #[serde(serialize_with = "one_line")]
    pub strategy: Strategy,
    /// Training time of an epoch.
    pub epoch_seconds: f64,
    /// The epoch time of random batches of the same size divided by this one's.
    pub speed_up: f64,
    /// Peak memory of the largest batch that can occur, if the device reports memory.
    pub peak_bytes: Option<u64>,
    /// Padding as a share of all padded frames, from 0 to 1.
    pub padding: f64,
    /// Steps (batches) per epoch.
    pub steps: usize,
    /// The share of pairs in a batch that do not meet again in the next epoch: 0 if all batches stay the same, nearly 1 if they are
    /// random.
    pub randomness: f64,
    /// Utterances or chunks that an epoch leaves out.
    pub dropped: usize,
    /// Whether no other strategy within the memory limit is both faster and more random.
    pub on_front: bool,
    /// Whether the numbers come from a sample of the corpus. Strategies on the front and named ones are always exact.
    pub sampled: bool,
    /// What trained records say.
    pub evidence: Evidence,
}

fn one_line<S: Serializer>(strategy: &Strategy, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(strategy)
}

/// What a plan of one epoch predicts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub epoch_seconds: f64,
    pub peak_bytes: Option<u64>,
    pub padding: f64,
    pub steps: usize,
    pub randomness: f64,
    pub dropped: usize,
}

/// Plans two epochs and measures them.
pub(crate) fn measure(
    lengths: &[u32],
    strategy: &Strategy,
    cost: &CostModel,
    seed: u64,
) -> Result<Measured, PlanError> {
    let sampler = Sampler::new(strategy.clone(), seed)?;
    let plan = sampler.plan(lengths, 0)?;
    let next = sampler.plan(lengths, 1)?;
    let (mut valid, mut padded) = (0, 0);
    for batch in plan.batches() {
        valid += batch.valid_frames();
        padded += batch.padded_frames();
    }
    Ok(Measured {
        epoch_seconds: cost.epoch(&plan),
        peak_bytes: peak_bytes(&plan, &next, strategy, cost),
        padding: if padded == 0 {
            0.0
        } else {
            1.0 - valid as f64 / padded as f64
        },
        steps: plan.len(),
        // A batch of one has no pairs, so nothing repeats.
        randomness: 1.0 - pair_recurrence(&plan, &next).unwrap_or(0.0),
        dropped: plan.ledger().dropped().len(),
    })
}

/// Memory of the largest batch that can occur in any epoch: one that uses the limit of its size with items of the longest length.
/// Random orders produce it sooner or later.
fn peak_bytes(plan: &Plan, next: &Plan, strategy: &Strategy, cost: &CostModel) -> Option<u64> {
    let memory = cost.memory?;
    let batches = || plan.batches().chain(next.batches());
    let longest = batches()
        .map(|batch| batch.padded_length())
        .max()
        .unwrap_or(0);
    let most_items = batches().map(|batch| batch.len()).max().unwrap_or(0);
    let most_frames = |budget: u64| {
        let corpus = plan.ledger().items() as u64 * u64::from(longest);
        let frames = budget.max(u64::from(longest)).min(corpus);
        memory.bytes_of_frames(frames, longest)
    };
    Some(match strategy.batching {
        Batching::Frames { budget, .. } => most_frames(budget),
        Batching::Dynamic { base, .. } => most_frames(u64::from(base) * u64::from(longest)),
        // Fixed sizes, and sizes that may exceed their limit by an item.
        _ => memory.bytes(most_items, longest),
    })
}
