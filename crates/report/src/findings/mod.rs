//! What one experiment found, before it is put into words, tables or plots.
//!
//! Every strategy is held against one baseline, random batches where there are any. Speed and memory count every epoch that
//! was trained; a loss counts only at the end of a run that came to its end.

mod baseline;
mod best;
mod error_metric;
mod pareto;
mod row_status;
mod row_verdict;

use crate::record::{EpochRow, Metric, PaperColumn, Recorded, Reference, Run, Summary};
use crate::statistics::{Change, ConfidenceInterval, Scale, holm};

pub use best::Lowest;
pub use error_metric::ErrorMetric;
pub use pareto::front;
pub use row_status::RowStatus;
pub use row_verdict::RowVerdict;

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
    /// How its runs ended.
    pub status: RowStatus,
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

impl RowFindings {
    /// The share of the baseline's time that follows from [`RowFindings::predicted_speed`] to be saved, in percent.
    pub fn predicted_saved_percent(&self) -> Option<f64> {
        self.predicted_speed
            .map(|speed| 100.0 * (1.0 - 1.0 / speed))
    }
}

impl Findings {
    /// From what was recorded.
    pub fn of(recorded: Recorded) -> Self {
        let summary = Summary::of(&recorded.config, &recorded.epochs);
        let baseline = baseline::of(&recorded.config);
        let mut findings = Findings {
            rows: Vec::new(),
            recorded,
            summary,
            baseline,
        };
        let rows = 0..findings.summary.rows.len();
        let points: Vec<_> = rows.clone().map(|row| findings.point(row)).collect();
        let on_front = front(&points);
        let compared = |metric: Metric, scale: Scale| {
            let rows = rows.clone();
            corrected(
                rows.map(|row| findings.against_baseline(row, metric, scale))
                    .collect(),
            )
        };
        let speed = compared(Metric::UtterancesPerSecond, Scale::Ratio);
        let epoch_time = compared(Metric::EpochSeconds, Scale::Ratio);
        let memory = compared(Metric::MemoryGb, Scale::Ratio);
        let loss = compared(Metric::ValidationLoss, Scale::Difference);
        let errors = compared(Metric::SequenceErrorPercent, Scale::Difference);
        let time_to_loss = compared(Metric::SecondsToLoss, Scale::Ratio);
        let planned = findings.recorded.config.train.seeds.len();
        let rows = rows.clone().map(|row| RowFindings {
            status: RowStatus::of(&findings.runs(row), planned),
            speed: speed[row],
            epoch_time: epoch_time[row],
            memory: memory[row],
            loss: loss[row],
            lowest: Lowest::of_runs(&findings.runs(row)),
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
        &self.recorded.config.strategy[row].name
    }

    /// The row of this name.
    pub fn row(&self, name: &str) -> Option<usize> {
        (0..self.rows.len()).find(|&row| self.name(row) == name)
    }

    /// What the experiment shows: its title, or its name where it has none.
    pub fn title(&self) -> &str {
        match self.recorded.config.title.as_str() {
            "" => &self.recorded.name,
            title => title,
        }
    }

    /// What the baseline is called.
    pub fn baseline_name(&self) -> Option<&str> {
        self.baseline.map(|row| self.name(row))
    }

    /// Every row but the baseline.
    pub fn others(&self) -> impl Iterator<Item = usize> {
        let baseline = self.baseline;
        (0..self.rows.len()).filter(move |&row| Some(row) != baseline)
    }

    /// The baseline that a row is held against; none for the baseline itself.
    fn baseline_of(&self, row: usize) -> Option<usize> {
        self.baseline.filter(|&baseline| baseline != row)
    }

    /// The runs of a row.
    pub fn runs(&self, row: usize) -> Vec<Run<'_>> {
        Run::all(self.name(row), &self.recorded.config, &self.recorded.epochs)
    }

    /// A metric of each run of a row, by seed.
    pub fn by_seed(&self, row: usize, metric: Metric) -> Vec<(u64, f64)> {
        let needs_the_end = metric.definition().needs_the_end;
        let reference = Reference {
            target_loss: self.summary.target_loss,
            baseline_seconds: None,
        };
        let runs = self.runs(row).into_iter();
        runs.filter(|run| !needs_the_end || run.status.is_complete())
            .filter_map(|run| Some((run.seed, metric.of(&run, reference)?)))
            .collect()
    }

    /// A metric over the runs of a row.
    pub fn interval(&self, row: usize, metric: Metric) -> ConfidenceInterval {
        let values = self.by_seed(row, metric).into_iter();
        ConfidenceInterval::of(values.map(|(_, value)| Some(value)))
    }

    /// The mean of a metric over the runs of a row.
    pub fn mean(&self, row: usize, metric: Metric) -> Option<f64> {
        self.interval(row, metric).mean
    }

    /// The rows that have a mean of this metric, with it, from the lowest to the highest.
    pub fn ranked(&self, metric: Metric) -> Vec<(f64, usize)> {
        let rows = 0..self.rows.len();
        let mut ranked: Vec<_> = rows
            .filter_map(|row| Some((self.mean(row, metric)?, row)))
            .collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        ranked
    }

    fn change(&self, row: usize, from: usize, metric: Metric, scale: Scale) -> Option<Change> {
        let (old, new) = (self.by_seed(from, metric), self.by_seed(row, metric));
        Change::between(&old, &new, scale)
    }

    /// A row over another in some metric.
    pub fn ratio(&self, row: usize, to: usize, metric: Metric) -> Option<f64> {
        let change = self.change(row, to, metric, Scale::Ratio);
        change.map(|change| change.estimate)
    }

    fn against_baseline(&self, row: usize, metric: Metric, scale: Scale) -> Option<Change> {
        self.change(row, self.baseline_of(row)?, metric, scale)
    }

    /// Whether more than one seed was meant to be run.
    pub fn has_repeats(&self) -> bool {
        self.recorded.config.train.seeds.len() > 1
    }

    /// Whether any row's loss has risen from its lowest.
    pub fn any_past_its_best(&self) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| row.lowest.is_some_and(|lowest| lowest.is_past()))
    }

    /// Speed and final loss of a row, where it has both.
    pub fn point(&self, row: usize) -> Option<(f64, f64)> {
        let speed = self.mean(row, Metric::UtterancesPerSecond)?;
        Some((speed, self.mean(row, Metric::ValidationLoss)?))
    }

    /// How fast a row should be, over the baseline, from its padding alone: if time is spent on padded frames and on nothing else,
    /// speeds are to each other as utterances for each padded frame. What a device makes of batch sizes and lengths is left out, so
    /// where the measured ratio differs, that is what is to be explained.
    fn predicted_speed(&self, row: usize) -> Option<f64> {
        let frames_per_utterance = |row: usize| {
            let runs = self.runs(row);
            let epochs = || runs.iter().flat_map(|run| &run.epochs);
            let sum = |of: fn(&EpochRow) -> u64| epochs().map(|row| of(row)).sum::<u64>();
            let (frames, utterances) = (sum(|row| row.padded_frames), sum(|row| row.utterances));
            (utterances > 0 && frames > 0).then(|| frames as f64 / utterances as f64)
        };
        Some(frames_per_utterance(self.baseline_of(row)?)? / frames_per_utterance(row)?)
    }

    /// A paper's number for a row.
    pub fn paper(&self, row: usize, column: PaperColumn) -> Option<f64> {
        self.recorded.config.strategy[row]
            .paper
            .get(&column)
            .copied()
    }

    /// Time saved against the baseline in percent, in the paper: as it has it, or as follows from its times or speeds.
    pub fn papers_time_saved(&self, row: usize) -> Option<f64> {
        let baseline = self.baseline_of(row)?;
        let time_ratio = |column| Some(self.paper(row, column)? / self.paper(baseline, column)?);
        self.paper(row, PaperColumn::TimeSavedPercent).or_else(|| {
            let ratio = time_ratio(PaperColumn::EpochMinutes)
                .or_else(|| time_ratio(PaperColumn::EpochSeconds))
                .or_else(|| Some(1.0 / time_ratio(PaperColumn::UtterancesPerSecond)?))?;
            Some(100.0 * (1.0 - ratio))
        })
    }
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
