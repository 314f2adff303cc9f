//! The results of one experiment, as numbers: [`crate::narrative`], [`crate::tables`] and [`crate::plots`] present them.
//!
//! Every strategy is compared with one baseline, usually random batches. Speed and memory include every completed epoch. Losses
//! and error rates include completed runs only.

mod best;
mod error_metric;
pub(crate) mod paper;
mod pareto;
mod row_status;
mod row_verdict;
mod scaling;
mod values;

use crate::record::{EpochRow, Metric, PaperColumn, Recorded, Run, Summary};
use crate::statistics::{Change, Scale};
use crate::text::counted;

pub use best::Lowest;
pub use error_metric::ErrorMetric;
pub use pareto::front;
pub use row_status::RowStatus;
pub use row_verdict::RowVerdict;
pub(crate) use scaling::over_seeds;
pub use scaling::{Scaling, ScalingRow, StrategyScaling};
pub use values::ReachedTarget;

/// One experiment and its results.
#[derive(Clone, Debug)]
pub struct Findings {
    /// The record.
    pub recorded: Recorded,
    /// Means over seeds.
    pub summary: Summary,
    /// Index of the baseline row; none if there are no rows.
    pub baseline: Option<usize>,
    /// Results of each strategy, in the config's order.
    pub rows: Vec<RowFindings>,
    /// How each strategy scales over workers; none without several numbers of workers.
    pub scaling: Option<Scaling>,
}

/// The results of one strategy and its differences from the baseline.
#[derive(Clone, Debug)]
pub struct RowFindings {
    /// How its runs ended.
    pub status: RowStatus,
    /// Utterances per second, as a ratio to the baseline.
    pub speed: Option<Change>,
    /// Training time per epoch, as a ratio to the baseline.
    pub epoch_time: Option<Change>,
    /// Memory, as a ratio to the baseline.
    pub memory: Option<Change>,
    /// Final validation loss, as a difference from the baseline.
    pub loss: Option<Change>,
    /// Lowest validation loss ([`RowFindings::lowest`]), as a difference from the baseline.
    pub lowest_loss: Option<Change>,
    /// Lowest validation loss during training; none if `train.patience` makes it the final one.
    pub lowest: Option<Lowest>,
    /// Error rate of decoded sequences ([`Findings::sequence_error`]), as a difference from the baseline in percentage points.
    pub errors: Option<Change>,
    /// Training time to the target loss, as a ratio to the baseline.
    pub time_to_loss: Option<Change>,
    /// Speed-up predicted from padded frames alone.
    pub predicted_speed: Option<f64>,
    /// Whether the strategy is on the Pareto front of speed and loss ([`front`]).
    pub on_front: bool,
}

impl RowFindings {
    /// Training time saved according to [`RowFindings::predicted_speed`], in percent of the baseline's.
    pub fn predicted_saved_percent(&self) -> Option<f64> {
        self.predicted_speed
            .map(|speed| 100.0 * (1.0 - 1.0 / speed))
    }
}

impl Findings {
    /// Evaluates a record.
    pub fn of(recorded: Recorded) -> Self {
        let summary = Summary::of(&recorded.config, &recorded.epochs, &recorded.words);
        let scaling = Scaling::of(&recorded.config, &recorded.epochs, &recorded.workers);
        let baseline = summary.baseline;
        let mut findings = Findings {
            rows: Vec::new(),
            scaling,
            recorded,
            summary,
            baseline,
        };
        let rows = 0..findings.summary.rows.len();
        let points: Vec<_> = rows.clone().map(|row| findings.point(row)).collect();
        let on_front = front(&points);
        let speed = findings.compared(Metric::UtterancesPerSecond, Scale::Ratio);
        let epoch_time = findings.compared(Metric::EpochSeconds, Scale::Ratio);
        let memory = findings.compared(Metric::MemoryGb, Scale::Ratio);
        let loss = findings.compared(Metric::ValidationLoss, Scale::Difference);
        let lowest_loss = findings.lowest_compared();
        let sequence_error = findings.sequence_error();
        let sequence_error = sequence_error.map_or(Metric::SequenceErrorPercent, |e| e.metric);
        let errors = findings.compared(sequence_error, Scale::Difference);
        let time_to_loss = findings.compared(Metric::SecondsToLoss, Scale::Ratio);
        let train = &findings.recorded.config.train;
        let (planned, takes_last) = (train.seeds.len(), train.patience.is_none());
        let rows = rows.clone().map(|row| RowFindings {
            status: RowStatus::of(&findings.runs(row), planned),
            speed: speed[row],
            epoch_time: epoch_time[row],
            memory: memory[row],
            loss: loss[row],
            lowest_loss: lowest_loss[row].filter(|_| takes_last),
            lowest: Lowest::of_runs(&findings.runs(row)).filter(|_| takes_last),
            errors: errors[row],
            time_to_loss: time_to_loss[row],
            predicted_speed: findings.predicted_speed(row),
            on_front: on_front[row],
        });
        findings.rows = rows.collect();
        findings
    }

    /// The name of a row.
    pub fn name(&self, row: usize) -> &str {
        &self.recorded.config.strategy[row].name
    }

    /// Whether the training time of a row is predicted, not measured.
    pub fn time_is_predicted(&self, row: usize) -> bool {
        self.summary.rows[row].time_is_predicted
    }

    /// Whether the training time of any row is predicted.
    pub fn any_time_is_predicted(&self) -> bool {
        self.summary.rows.iter().any(|row| row.time_is_predicted)
    }

    /// The name of a row in a sentence about its time: it says if the time is predicted.
    pub(crate) fn timed_name(&self, row: usize) -> String {
        match self.time_is_predicted(row) {
            true => format!("{} (predicted time)", self.name(row)),
            false => self.name(row).to_owned(),
        }
    }

    /// The index of the row with this name.
    pub fn row(&self, name: &str) -> Option<usize> {
        (0..self.rows.len()).find(|&row| self.name(row) == name)
    }

    /// The title of the experiment, or its name if it has no title.
    pub fn title(&self) -> &str {
        match self.recorded.config.title.as_str() {
            "" => &self.recorded.name,
            title => title,
        }
    }

    /// The name of the baseline.
    pub fn baseline_name(&self) -> Option<&str> {
        self.baseline.map(|row| self.name(row))
    }

    /// Every row except the baseline.
    pub fn others(&self) -> impl Iterator<Item = usize> {
        let baseline = self.baseline;
        (0..self.rows.len()).filter(move |&row| Some(row) != baseline)
    }

    /// The baseline that a row is compared with; none for the baseline itself.
    fn baseline_of(&self, row: usize) -> Option<usize> {
        self.baseline.filter(|&baseline| baseline != row)
    }

    /// The runs of a row.
    pub fn runs(&self, row: usize) -> Vec<Run<'_>> {
        let Recorded {
            config,
            epochs,
            words,
            ..
        } = &self.recorded;
        Run::all(self.name(row), config, epochs, words)
    }

    /// Whether the baseline has runs with more than one seed.
    pub fn has_repeats(&self) -> bool {
        self.seeds_completed() > 1
    }

    /// The number of seeds with which the baseline completed its run.
    pub fn seeds_completed(&self) -> usize {
        let runs = self.runs(self.baseline.unwrap_or(0));
        runs.iter().filter(|run| run.status.is_complete()).count()
    }

    /// The number of seeds that were compared, in words, and of how many if some are missing.
    pub(crate) fn seeds(&self) -> String {
        let planned = self.recorded.config.train.seeds.len();
        let completed = self.seeds_completed();
        match completed < planned {
            true => format!("{completed} of {}", counted(planned, "seed")),
            false => counted(planned, "seed"),
        }
    }

    /// Whether any strategy overfitted: its loss rose again after its minimum.
    pub fn any_overfitted(&self) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| row.lowest.is_some_and(|lowest| lowest.is_past()))
    }

    /// Speed and final loss of a row, if it has both.
    pub fn point(&self, row: usize) -> Option<(f64, f64)> {
        let speed = self.mean(row, Metric::UtterancesPerSecond)?;
        Some((speed, self.mean(row, Metric::ValidationLoss)?))
    }

    /// The speed-up over the baseline that padding alone predicts: the ratio of padded frames per utterance and worker. It ignores
    /// how the device handles different batch sizes and lengths, so those explain a difference from the measured speed-up.
    fn predicted_speed(&self, row: usize) -> Option<f64> {
        let frames_per_utterance = |row: usize| {
            let runs = self.runs(row);
            let epochs = || runs.iter().flat_map(|run| &run.epochs);
            let sum =
                |of: fn(&EpochRow) -> u64| epochs().map(|row| u128::from(of(row))).sum::<u128>();
            let (frames, utterances) = (sum(|row| row.padded_frames), sum(|row| row.utterances));
            let workers = f64::from(self.recorded.config.strategy[row].workers.unwrap_or(1));
            let frames = frames as f64 / workers;
            (utterances > 0 && frames > 0.0).then(|| frames / utterances as f64)
        };
        Some(frames_per_utterance(self.baseline_of(row)?)? / frames_per_utterance(row)?)
    }

    /// A number that the paper reports for a row.
    pub fn paper(&self, row: usize, column: PaperColumn) -> Option<f64> {
        self.recorded.config.strategy[row]
            .paper
            .get(&column)
            .copied()
    }

    /// Time saved compared with the baseline in the paper, in percent: as published, or computed from its times or speeds.
    pub fn papers_time_saved(&self, row: usize) -> Option<f64> {
        paper::time_saved_percent(&self.recorded.config.strategy, row, self.baseline?)
    }
}
