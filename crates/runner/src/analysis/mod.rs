//! What strategies do to a corpus, measured on its lengths alone, over several seeds.

mod families;
mod render;
mod spread;

use std::time::Instant;

use indicatif::ProgressBar;
use padwise_sampler::{PlanError, Sampler, Strategy, pair_recurrence};

pub use families::every_family;
pub use render::Format;
pub use spread::Spread;

use crate::terminal::progress_bar;

/// A strategy to analyse, under the name that its row shall have.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is called: as the user wrote it.
    pub name: String,
    /// What it is.
    pub strategy: Strategy,
}

/// One strategy's row: means over seeds, with their spread.
#[derive(Clone, Debug)]
pub struct Row {
    /// The strategy's name.
    pub strategy: String,
    /// The strategy in full, in its one-line form: what a name left out, such as the batch size, is filled in.
    pub resolved: String,
    /// Utterances, or chunks of them, in batches or dropped.
    pub items: usize,
    /// Everything that was measured, by name, in the order of the columns.
    pub measures: Vec<(Measure, Spread)>,
}

/// What is measured of a plan, by its name in JSON and CSV: a contract with whoever reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure(&'static str);

impl Measure {
    /// Batches of an epoch.
    pub const BATCHES: Measure = Measure("batches");
    /// The zero-padding rate, averaged over batches, in percent.
    pub const ZPR_PERCENT: Measure = Measure("zpr_percent");
    /// The average batch length, in frames.
    pub const ABL: Measure = Measure("abl");
    /// Padding over padded frames, pooled over the epoch, in percent.
    pub const POOLED_PADDING_PERCENT: Measure = Measure("pooled_padding_percent");
    /// Frames that are not padding.
    pub const VALID_FRAMES: Measure = Measure("valid_frames");
    /// Frames with padding.
    pub const PADDED_FRAMES: Measure = Measure("padded_frames");
    /// Padded frames of the largest batch.
    pub const LARGEST_BATCH_FRAMES: Measure = Measure("largest_batch_frames");
    /// Different batch shapes.
    pub const DISTINCT_SHAPES: Measure = Measure("distinct_shapes");
    /// The share of pairs in a batch that share one again in the next epoch.
    pub const PAIR_RECURRENCE: Measure = Measure("pair_recurrence");
    /// The correlation of neighbouring batches' lengths.
    pub const ADJACENT_CORRELATION: Measure = Measure("adjacent_correlation");
    /// Items that are in no batch.
    pub const DROPPED: Measure = Measure("dropped");
    /// Items that ranks train twice to keep in step.
    pub const DUPLICATED: Measure = Measure("duplicated");
    /// How long planning took.
    pub const PLAN_SECONDS: Measure = Measure("plan_seconds");

    /// Its name in JSON and CSV.
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// How an analysis is done.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many seeds, from 0.
    pub seeds: u64,
    /// Among how many ranks the batches are dealt.
    pub ranks: usize,
}

/// The rows of an analysis, and the strategies that do not suit this corpus, with the reason.
#[derive(Debug, Default)]
pub struct Analysis {
    /// One row for each strategy.
    pub rows: Vec<Row>,
    /// Strategies without a row.
    pub refused: Vec<(String, PlanError)>,
}

/// Plans every strategy with every seed.
pub fn analyze(lengths: &[u32], candidates: &[Candidate], settings: Settings) -> Analysis {
    let plans = settings.seeds.saturating_mul(candidates.len() as u64);
    let progress = progress_bar(plans, "plans");
    let mut analysis = Analysis::default();
    for candidate in candidates {
        progress.set_message(candidate.name.clone());
        match row(lengths, candidate, settings, &progress) {
            Ok(row) => analysis.rows.push(row),
            Err(error) => analysis.refused.push((candidate.name.clone(), error)),
        }
    }
    progress.finish_and_clear();
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
    /// One measure's mean and spread.
    pub fn get(&self, measure: Measure) -> Spread {
        self.measures
            .iter()
            .find(|(m, _)| *m == measure)
            .map_or(Spread::of(&[]), |&(_, spread)| spread)
    }
}
