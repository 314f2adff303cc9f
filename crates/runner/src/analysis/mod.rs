//! What strategies do to a corpus, measured on its lengths alone, over several seeds.

mod families;
mod render;
mod spread;

use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use padwise_sampler::{PlanError, Sampler, Strategy, pair_recurrence};

pub use families::every_family;
pub use render::Format;
pub use spread::Spread;

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

/// What is measured of a plan. The names are a contract with whoever reads our JSON and CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Batches of an epoch.
    Batches,
    /// The zero-padding rate, averaged over batches, in percent.
    ZprPercent,
    /// The average batch length, in frames.
    Abl,
    /// Padding over padded frames, pooled over the epoch, in percent.
    PooledPaddingPercent,
    /// Frames that are not padding.
    ValidFrames,
    /// Frames with padding.
    PaddedFrames,
    /// Padded frames of the largest batch.
    LargestBatchFrames,
    /// Different batch shapes.
    DistinctShapes,
    /// The share of pairs in a batch that share one again in the next epoch.
    PairRecurrence,
    /// The correlation of neighbouring batches' lengths.
    AdjacentCorrelation,
    /// Items that are in no batch.
    Dropped,
    /// Items that ranks train twice to keep in step.
    Duplicated,
    /// How long planning took.
    PlanSeconds,
}

impl Measure {
    /// Its name in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Batches => "batches",
            Measure::ZprPercent => "zpr_percent",
            Measure::Abl => "abl",
            Measure::PooledPaddingPercent => "pooled_padding_percent",
            Measure::ValidFrames => "valid_frames",
            Measure::PaddedFrames => "padded_frames",
            Measure::LargestBatchFrames => "largest_batch_frames",
            Measure::DistinctShapes => "distinct_shapes",
            Measure::PairRecurrence => "pair_recurrence",
            Measure::AdjacentCorrelation => "adjacent_correlation",
            Measure::Dropped => "dropped",
            Measure::Duplicated => "duplicated",
            Measure::PlanSeconds => "plan_seconds",
        }
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
    let progress = progress_bar(settings.seeds.saturating_mul(candidates.len() as u64));
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
            (Measure::Batches, Some(stats.batches as f64)),
            (Measure::ZprPercent, stats.zpr.map(|zpr| 100.0 * zpr)),
            (Measure::Abl, stats.abl),
            (
                Measure::PooledPaddingPercent,
                stats.pooled_padding.map(|padding| 100.0 * padding),
            ),
            (Measure::ValidFrames, Some(stats.valid_frames as f64)),
            (Measure::PaddedFrames, Some(stats.padded_frames as f64)),
            (
                Measure::LargestBatchFrames,
                Some(stats.largest_batch_frames as f64),
            ),
            (Measure::DistinctShapes, Some(stats.distinct_shapes as f64)),
            (Measure::PairRecurrence, pair_recurrence(&plan, &next)),
            (Measure::AdjacentCorrelation, stats.adjacent_correlation),
            (
                Measure::Dropped,
                Some(stats.dropped as f64 + items_of(shard.dropped())),
            ),
            (Measure::Duplicated, Some(items_of(shard.duplicated()))),
            (Measure::PlanSeconds, Some(seconds)),
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

/// Hidden where standard error is no terminal.
fn progress_bar(steps: u64) -> ProgressBar {
    let style = ProgressStyle::with_template(
        "{bar:30} {pos}/{len} plans, {per_sec}, {eta} to go  {wide_msg}",
    );
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
