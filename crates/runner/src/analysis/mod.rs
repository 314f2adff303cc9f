//! Padding, memory and randomness of strategies, computed from utterance lengths over several seeds.

mod families;
mod render;
mod spread;

use std::time::Instant;

use indicatif::ProgressBar;
use padwise_sampler::{PlanError, Sampler, Strategy, pair_recurrence};

pub use families::every_family;
pub use render::{COLUMNS, Column, Format};
pub use spread::Spread;

use crate::terminal::DelayedBar;

/// A strategy to analyse, with the name of its row.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The name: the strategy as the user wrote it.
    pub name: String,
    /// The parsed strategy.
    pub strategy: Strategy,
}

/// One strategy's row: means and standard deviations over seeds.
#[derive(Clone, Debug)]
pub struct Row {
    /// The strategy's name.
    pub strategy: String,
    /// The strategy in its one-line form with all defaults filled in, for example the batch size.
    pub resolved: String,
    /// Utterances or chunks, including dropped ones.
    pub items: usize,
    /// All measures, in the order of the CSV columns.
    pub measures: Vec<(Measure, Spread)>,
}

/// A measure of a plan, by its name in JSON and CSV. Programs read these names, so they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure(&'static str);

impl Measure {
    /// Batches per epoch.
    pub const BATCHES: Measure = Measure("batches");
    /// Zero padding rate, mean over batches, in percent.
    pub const ZPR_PERCENT: Measure = Measure("zpr_percent");
    /// Average batch length, in frames.
    pub const ABL: Measure = Measure("abl");
    /// Padding divided by padded frames over the whole epoch, in percent.
    pub const POOLED_PADDING_PERCENT: Measure = Measure("pooled_padding_percent");
    /// Frames without padding.
    pub const VALID_FRAMES: Measure = Measure("valid_frames");
    /// Frames with padding.
    pub const PADDED_FRAMES: Measure = Measure("padded_frames");
    /// Padded frames of the largest batch.
    pub const LARGEST_BATCH_FRAMES: Measure = Measure("largest_batch_frames");
    /// Number of distinct batch shapes.
    pub const DISTINCT_SHAPES: Measure = Measure("distinct_shapes");
    /// Share of pairs in a batch that meet again in the next epoch.
    pub const PAIR_RECURRENCE: Measure = Measure("pair_recurrence");
    /// Lag-1 autocorrelation of batch lengths.
    pub const ADJACENT_CORRELATION: Measure = Measure("adjacent_correlation");
    /// Items dropped per epoch.
    pub const DROPPED: Measure = Measure("dropped");
    /// Items that ranks train twice to stay in step.
    pub const DUPLICATED: Measure = Measure("duplicated");
    /// Seconds that planning took.
    pub const PLAN_SECONDS: Measure = Measure("plan_seconds");

    /// The name in JSON and CSV.
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// The settings of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Number of seeds, counted from 0.
    pub seeds: u64,
    /// Number of ranks that share the batches.
    pub ranks: usize,
}

/// The rows of an analysis, and the strategies that cannot be planned for this corpus.
#[derive(Debug, Default)]
pub struct Analysis {
    /// One row per strategy.
    pub rows: Vec<Row>,
    /// Strategies that could not be planned, with the reason.
    pub refused: Vec<(String, PlanError)>,
}

/// Plans every strategy with every seed.
pub fn analyze(lengths: &[u32], candidates: &[Candidate], settings: Settings) -> Analysis {
    let plans = settings.seeds.saturating_mul(candidates.len() as u64);
    let progress = DelayedBar::new(plans, "plans");
    let mut analysis = Analysis::default();
    for candidate in candidates {
        progress.set_message(candidate.name.clone());
        match row(lengths, candidate, settings, &progress) {
            Ok(row) => analysis.rows.push(row),
            Err(error) => analysis.refused.push((candidate.name.clone(), error)),
        }
    }
    analysis
}

fn row(
    lengths: &[u32],
    candidate: &Candidate,
    settings: Settings,
    progress: &ProgressBar,
) -> Result<Row, PlanError> {
    let mut items = 0;
    let mut samples: Vec<(Measure, Vec<Option<f64>>)> = Vec::new();
    for seed in 0..settings.seeds {
        let sampler = Sampler::new(candidate.strategy.clone(), seed)?;
        let start = Instant::now();
        let plan = sampler.plan(lengths, 0)?;
        let seconds = start.elapsed().as_secs_f64();
        let stats = plan.stats();
        let next = sampler.plan(lengths, 1)?;
        let shard = plan.shard(0, settings.ranks)?;
        let items_of = |batches: &[usize]| {
            let sizes = batches.iter().filter_map(|&b| plan.batch(b));
            sizes.map(|b| b.len()).sum::<usize>() as f64
        };
        items = stats.items;
        let measured = [
            (Measure::BATCHES, Some(stats.batches as f64)),
            (Measure::ZPR_PERCENT, stats.zpr.map(|zpr| 100.0 * zpr)),
            (Measure::ABL, stats.abl),
            (
                Measure::POOLED_PADDING_PERCENT,
                stats.pooled_padding.map(|padding| 100.0 * padding),
            ),
            (Measure::VALID_FRAMES, Some(stats.valid_frames as f64)),
            (Measure::PADDED_FRAMES, Some(stats.padded_frames as f64)),
            (
                Measure::LARGEST_BATCH_FRAMES,
                Some(stats.largest_batch_frames as f64),
            ),
            (Measure::DISTINCT_SHAPES, Some(stats.distinct_shapes as f64)),
            (Measure::PAIR_RECURRENCE, pair_recurrence(&plan, &next)),
            (Measure::ADJACENT_CORRELATION, stats.adjacent_correlation),
            (
                Measure::DROPPED,
                Some(stats.dropped as f64 + items_of(shard.dropped())),
            ),
            (Measure::DUPLICATED, Some(items_of(shard.duplicated()))),
            (Measure::PLAN_SECONDS, Some(seconds)),
        ];
        if samples.is_empty() {
            samples = measured.iter().map(|&(m, _)| (m, Vec::new())).collect();
        }
        for ((_, values), (_, value)) in samples.iter_mut().zip(measured) {
            values.push(value);
        }
        progress.inc(1);
    }
    Ok(Row {
        strategy: candidate.name.clone(),
        resolved: candidate.strategy.to_string(),
        items,
        measures: samples
            .into_iter()
            .map(|(measure, values)| (measure, Spread::of(&values)))
            .collect(),
    })
}

impl Row {
    /// Mean and standard deviation of one measure.
    pub fn get(&self, measure: Measure) -> Spread {
        self.measures
            .iter()
            .find(|(m, _)| *m == measure)
            .map_or(Spread::of(&[]), |&(_, spread)| spread)
    }
}
