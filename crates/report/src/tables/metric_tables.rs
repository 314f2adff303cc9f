//! Tables of our own metrics: speed and memory, loss and error rates, padding.

use super::titled::{TitledTable, strategies};
use crate::findings::{Findings, RowFindings};
use crate::record::Metric;
use crate::statistics::Change;
use crate::text::{
    ChangeFormat, NOTHING, counted, mean_with_interval, or_nothing, p_value, signed, times,
};

/// Builds a table column by column. Columns without any value are left out.
struct Columns<'a> {
    findings: &'a Findings,
    table: TitledTable,
}

impl<'a> Columns<'a> {
    fn new(findings: &'a Findings, title: &'static str, note: String) -> Self {
        let cells = strategies(findings);
        Columns {
            findings,
            table: TitledTable { title, note, cells },
        }
    }

    fn titled(mut self, title: &str, cell: impl Fn(usize) -> Option<String>) -> Self {
        let rows = 0..self.findings.rows.len();
        let cells: Vec<String> = rows.map(|row| or_nothing(cell(row))).collect();
        if cells.iter().any(|cell| cell != NOTHING) {
            self.table.cells.add_column(title, cells);
        }
        self
    }

    /// A metric under a given title.
    fn metric_titled(self, title: &str, metric: Metric) -> Self {
        let (findings, decimals) = (self.findings, metric.definition().decimals);
        self.titled(title, |row| {
            Some(mean_with_interval(findings.interval(row, metric), decimals))
        })
    }

    fn metrics<const N: usize>(self, metrics: [Metric; N]) -> Self {
        let titled =
            |table: Self, metric: Metric| table.metric_titled(metric.definition().title, metric);
        metrics.into_iter().fold(self, titled)
    }

    /// A column from the findings of each strategy.
    fn found(self, title: &str, cell: impl Fn(&RowFindings) -> Option<String>) -> Self {
        let rows = &self.findings.rows;
        self.titled(title, |row| cell(&rows[row]))
    }
}

fn estimate(change: Option<Change>) -> Option<f64> {
    change.map(|change| change.estimate)
}

fn interval(change: Option<Change>, format: ChangeFormat) -> Option<String> {
    format.interval(change?)
}

/// Differences with these decimals, without a unit.
fn difference(decimals: usize) -> ChangeFormat {
    ChangeFormat::Difference(decimals, "")
}

/// Speed and memory, measured and predicted from padding.
pub fn speed(findings: &Findings) -> TitledTable {
    let baseline = findings.baseline_name().unwrap_or_default();
    let note = format!("Compared with {baseline}, the baseline.");
    Columns::new(findings, "Speed and memory", note)
        .metrics([Metric::UtterancesPerSecond])
        .found("speed-up", |row| estimate(row.speed).map(times))
        .found("95 % CI", |row| interval(row.speed, ChangeFormat::Ratio))
        .found("p", |row| row.speed.and_then(p_value))
        .found("predicted", |row| row.predicted_speed.map(times))
        .metrics([Metric::EpochSeconds])
        .found("saved %", |row| {
            let ratio = estimate(row.epoch_time);
            ratio.map(|ratio| format!("{:.1}", 100.0 * (1.0 - ratio)))
        })
        .titled("paper saved %", |row| {
            let saved = findings.papers_time_saved(row);
            saved.map(|saved| format!("{saved:.1}"))
        })
        .metrics([Metric::MemoryGb])
        .found("memory ratio", |row| estimate(row.memory).map(times))
        .metrics([Metric::WaitPercent, Metric::WarmUpSeconds])
        .table
}

/// Loss, error rates and time to the target loss.
pub fn learning(findings: &Findings) -> TitledTable {
    let baseline = findings.baseline_name().unwrap_or_default();
    let note = format!("Completed runs only, compared with {baseline}, the baseline.");
    let mut table = Columns::new(findings, "Loss and error rates", note)
        .metrics([Metric::ValidationLoss])
        .found("difference", |row| {
            estimate(row.loss).map(|loss| signed(loss, 3))
        })
        .found("95 % CI", |row| interval(row.loss, difference(3)))
        .found("p", |row| row.loss.and_then(p_value))
        .metrics(Metric::ERROR_RATES);
    if findings.summary.is_decoded() {
        table = table
            .found("WER difference", |row| {
                estimate(row.errors).map(|points| signed(points, 2))
            })
            .found("WER 95 % CI", |row| interval(row.errors, difference(2)))
            .found("WER p", |row| row.errors.and_then(p_value));
    }
    if findings.any_overfitted() {
        table = table.found("lowest loss (epoch)", |row| {
            let lowest = row.lowest?;
            Some(format!("{:.3} ({})", lowest.loss, lowest.epoch))
        });
    }
    if let Some(loss) = findings.summary.target_loss {
        let metric = Metric::SecondsToLoss;
        table = table.titled(&format!("s to {loss:.3}"), |row| {
            let reached = findings.reached_target(row);
            if reached.reached > 0 && !reached.by_all() {
                let seeds = counted(reached.ended, "seed");
                return Some(format!("{} of {seeds}", reached.reached));
            }
            let decimals = metric.definition().decimals;
            Some(mean_with_interval(findings.interval(row, metric), decimals))
        });
    }
    let on_front = |row: &RowFindings| row.on_front.then(|| "yes".to_owned());
    table.found("Pareto front", on_front).table
}

/// Padding and size of the trained batches.
pub fn padding(findings: &Findings) -> TitledTable {
    let note = "Padding of the batches that were trained.".into();
    Columns::new(findings, "Padding", note)
        .metrics([
            Metric::Batches,
            Metric::ZprPercent,
            Metric::Abl,
            Metric::LargestBatchFrames,
            Metric::Dropped,
            Metric::ValidFramesPerSecond,
            Metric::PaddedFramesPerSecond,
        ])
        .table
}
