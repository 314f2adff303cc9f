//! The verdict card: which strategy to use, in one or two sentences, with its key figures and caveats.

use super::caveats::caveats;
use crate::findings::{ErrorMetric, Findings, RowVerdict};
use crate::narrative::Recommendation;
use crate::record::Metric;
use crate::statistics::Change;
use crate::text::{ChangeFormat, memory, rounded, throughput, times};

/// The card at the top of an experiment.
pub(super) struct Card {
    /// What to do: `Use`, or `Keep`; empty if there is nothing to recommend.
    pub action: &'static str,
    /// The recommended strategy; empty if there is none.
    pub strategy: String,
    /// The rest of the answer.
    pub answer: String,
    pub figures: Vec<Figure>,
    pub caveats: Vec<String>,
}

/// A key figure: a large number with its name above and details below.
pub(super) struct Figure {
    pub name: String,
    pub value: String,
    pub detail: String,
}

impl Card {
    pub(super) fn of(findings: &Findings, verdicts: &[RowVerdict]) -> Self {
        let recommended = Recommendation::of(findings, verdicts);
        let facts = Facts {
            findings,
            error: findings.error_metric(),
            error_changes: findings.error_changes(),
        };
        let figures = match (recommended.row, findings.baseline) {
            (Some(row), Some(baseline)) if row != baseline => facts.compared(row, baseline),
            (_, Some(baseline)) => facts.alone(baseline),
            (_, None) => Vec::new(),
        };
        let name = recommended.row.map(|row| findings.name(row).to_owned());
        Card {
            action: recommended.action,
            strategy: name.unwrap_or_default(),
            answer: recommended.reason,
            figures,
            caveats: caveats(findings),
        }
    }
}

struct Facts<'a> {
    findings: &'a Findings,
    error: ErrorMetric,
    error_changes: Vec<Option<Change>>,
}

impl Facts<'_> {
    fn speed(&self, row: usize) -> Option<f64> {
        self.findings.mean(row, Metric::UtterancesPerSecond)
    }

    fn ratio(&self, row: usize) -> f64 {
        let speed = self.findings.rows[row].speed;
        speed.map_or(1.0, |change| change.estimate)
    }

    /// The figures of a strategy next to the baseline's.
    fn compared(&self, row: usize, baseline: usize) -> Vec<Figure> {
        let mut figures = Vec::new();
        if let Some((speed, base)) = self.speed(row).zip(self.speed(baseline)) {
            figures.push(Figure {
                name: match self.findings.time_is_predicted(row) {
                    true => "speed-up (predicted time)".into(),
                    false => "speed-up".into(),
                },
                value: times(self.ratio(row)),
                detail: with_interval(
                    Some(format!(
                        "{} vs {} utt/s",
                        throughput(speed),
                        throughput(base)
                    )),
                    self.findings.rows[row].speed,
                    ChangeFormat::Ratio,
                ),
            });
        }
        if let Some(change) = self.error_changes[row] {
            let decimals = self.error.decimals(&self.error_changes);
            let (unit, mean) = (self.error.unit, self.error_mean(row));
            let values = mean.zip(self.error_mean(baseline)).map(|(own, base)| {
                format!(
                    "{} vs {}{unit}",
                    rounded(own, decimals),
                    rounded(base, decimals)
                )
            });
            let format = ChangeFormat::Difference(decimals, self.error.difference_unit);
            figures.push(Figure {
                name: format!("change in {}", self.error.name),
                value: format.estimate(change),
                detail: with_interval(values, Some(change), format),
            });
        }
        let gb = |row| self.findings.mean(row, Metric::MemoryGb);
        if let Some((own, base)) = gb(row).zip(gb(baseline)) {
            figures.push(Figure {
                name: "memory".into(),
                value: memory(own),
                detail: format!("{}: {}", self.findings.name(baseline), memory(base)),
            });
        }
        figures
    }

    /// The figures of one strategy.
    fn alone(&self, row: usize) -> Vec<Figure> {
        let figure = |name: &str, value: Option<String>| {
            value.map(|value| Figure {
                name: name.into(),
                value,
                detail: String::new(),
            })
        };
        let error = self.error_mean(row);
        let error = error.map(|value| {
            rounded(value, self.error.decimals(&self.error_changes)) + self.error.unit
        });
        let gb = self.findings.mean(row, Metric::MemoryGb);
        let speed = self.speed(row).map(|speed| throughput(speed) + " utt/s");
        let figures = [
            figure("speed", speed),
            figure(self.error.name, error),
            figure("memory", gb.map(memory)),
        ];
        figures.into_iter().flatten().collect()
    }

    fn error_mean(&self, row: usize) -> Option<f64> {
        self.findings.mean(row, self.error.metric)
    }
}

/// Two values, and the interval of their change if it was tested.
fn with_interval(values: Option<String>, change: Option<Change>, format: ChangeFormat) -> String {
    let interval = change.and_then(|change| format.interval_phrase(change));
    let parts: Vec<String> = values.into_iter().chain(interval).collect();
    parts.join("; ")
}
