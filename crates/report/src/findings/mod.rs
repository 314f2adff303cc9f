//! What one experiment found, before it is put into words, tables or plots.
//!
//! Every strategy is held against one baseline, random batches where there are any. Speed and memory count every epoch that
//! was trained; a loss counts only at the end of a run that came to its end.

mod baseline;
mod best;
mod papers;
mod pareto;
mod prediction;
mod standing;

use crate::record::{EpochRow, Interval, Measured, Recorded, Run, Summary};
use crate::statistics::{Change, Scale, holm};

pub use best::Lowest;
pub use pareto::front;
pub use standing::RowStanding;

/// One experiment, and what it found.
#[derive(Clone, Debug)]
pub struct Findings {
    /// What was recorded.
    pub recorded: Recorded,
    /// Means over runs.
    pub summary: Summary,
    /// The row that others are held against, from 0; none where there is no row.
    pub baseline: Option<usize>,
    /// One for each row.
    pub rows: Vec<RowFindings>,
}

/// One strategy, and how it differs from the baseline.
#[derive(Clone, Debug)]
pub struct RowFindings {
    /// How its runs stand.
    pub standing: RowStanding,
    /// Utterances a second, over the baseline's.
    pub speed: Option<Change>,
    /// Training time of an epoch, over the baseline's.
    pub epoch_time: Option<Change>,
    /// Memory, over the baseline's.
    pub memory: Option<Change>,
    /// The last validation loss, less the baseline's.
    pub loss: Option<Change>,
    /// The lowest validation loss on the way.
    pub lowest: Option<Lowest>,
    /// Sequence errors after the last epoch, less the baseline's, in points.
    pub errors: Option<Change>,
    /// Training time to the target loss, over the baseline's.
    pub time_to_loss: Option<Change>,
    /// The speed over the baseline's that follows if time is spent on padded frames alone.
    pub predicted_speed: Option<f64>,
    /// Whether no other strategy is both as fast and as low in loss.
    pub on_front: bool,
}

impl Findings {
    /// From what was recorded.
    pub fn of(recorded: Recorded) -> Self {
        let summary = Summary::of(&recorded.outline, &recorded.epochs);
        let baseline = baseline::of(&recorded.outline);
        let mut findings = Findings {
            rows: Vec::new(),
            recorded,
            summary,
            baseline,
        };
        let points: Vec<Option<(f64, f64)>> = (0..findings.summary.rows.len())
            .map(|row| findings.point(row))
            .collect();
        let on_front = front(&points);
        let compared = |measured: Measured, scale: Scale| {
            corrected(
                (0..findings.summary.rows.len())
                    .map(|row| findings.against_baseline(row, measured, scale))
                    .collect(),
            )
        };
        let speed = compared(Measured::UtterancesPerSecond, Scale::Ratio);
        let epoch_time = compared(Measured::EpochSeconds, Scale::Ratio);
        let memory = compared(Measured::MemoryGb, Scale::Ratio);
        let loss = compared(Measured::ValidationLoss, Scale::Difference);
        let errors = compared(Measured::SequenceErrorPercent, Scale::Difference);
        let time_to_loss = compared(Measured::SecondsToLoss, Scale::Ratio);
        let rows = (0..findings.summary.rows.len()).map(|row| RowFindings {
            standing: RowStanding::of(&findings.runs(row), &findings.recorded.outline),
            speed: speed[row],
            epoch_time: epoch_time[row],
            memory: memory[row],
            loss: loss[row],
            lowest: findings.lowest(row),
            errors: errors[row],
            time_to_loss: time_to_loss[row],
            predicted_speed: findings.predicted_speed(row),
            on_front: on_front[row],
        });
        findings.rows = rows.collect();
        findings
    }

    /// What a row is called.
    pub fn name(&self, row: usize) -> &str {
        &self.recorded.outline.rows[row].name
    }

    /// What the baseline is called.
    pub fn baseline_name(&self) -> Option<&str> {
        self.baseline.map(|row| self.name(row))
    }

    /// The runs of a row.
    pub fn runs(&self, row: usize) -> Vec<Run<'_>> {
        Run::all(
            self.name(row),
            &self.recorded.outline,
            &self.recorded.epochs,
        )
    }

    /// A measure of each run of a row, by seed.
    pub fn by_seed(&self, row: usize, measured: Measured) -> Vec<(u64, f64)> {
        let runs = self.runs(row).into_iter();
        runs.filter(|run| !needs_the_end(measured) || run.standing.is_complete())
            .filter_map(|run| {
                let value = run.value(measured, self.summary.target_loss, None)?;
                Some((run.seed, value))
            })
            .collect()
    }

    /// A measure over the runs of a row.
    pub fn interval(&self, row: usize, measured: Measured) -> Interval {
        let values = self.by_seed(row, measured).into_iter();
        Interval::of(values.map(|(_, value)| Some(value)))
    }

    /// A row over another in some measure.
    pub fn ratio(&self, row: usize, to: usize, measured: Measured) -> Option<f64> {
        let change = Change::between(
            &self.by_seed(to, measured),
            &self.by_seed(row, measured),
            Scale::Ratio,
        );
        change.map(|change| change.estimate)
    }

    /// The epochs of a row that were trained to their end, over all its runs.
    pub fn epochs(&self, row: usize) -> Vec<&EpochRow> {
        let runs = self.runs(row).into_iter();
        runs.flat_map(|run| run.epochs).collect()
    }

    /// Whether more than one seed was meant to be run.
    pub fn has_repeats(&self) -> bool {
        self.recorded.outline.seeds.len() > 1
    }

    /// Speed and final loss of a row, where it has both.
    pub fn point(&self, row: usize) -> Option<(f64, f64)> {
        Some((
            self.interval(row, Measured::UtterancesPerSecond).mean?,
            self.interval(row, Measured::ValidationLoss).mean?,
        ))
    }

    fn against_baseline(&self, row: usize, measured: Measured, scale: Scale) -> Option<Change> {
        let baseline = self.baseline.filter(|&baseline| baseline != row)?;
        Change::between(
            &self.by_seed(baseline, measured),
            &self.by_seed(row, measured),
            scale,
        )
    }
}

/// Losses and errors of a run that was cut short are those of less training.
fn needs_the_end(measured: Measured) -> bool {
    matches!(
        measured,
        Measured::TrainLoss
            | Measured::ValidationLoss
            | Measured::ValidationLossAverage
            | Measured::FrameErrorPercent
            | Measured::SequenceErrorPercent
    )
}

/// With p corrected for the number of strategies.
fn corrected(changes: Vec<Option<Change>>) -> Vec<Option<Change>> {
    let p = |change: &Option<Change>| Some(change.as_ref()?.tested?.p);
    let ps = holm(&changes.iter().map(p).collect::<Vec<_>>());
    let changes = changes.into_iter().zip(ps);
    changes
        .map(|(change, p)| change.map(|change| change.with_p(p)))
        .collect()
}
