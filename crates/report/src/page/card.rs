//! The verdict card: which strategy to use, in one or two sentences, with its key figures and caveats.

use super::caveats::caveats;
use crate::findings::{ErrorMetric, Findings, RowVerdict};
use crate::record::Metric;
use crate::statistics::Change;
use crate::text::{memory, rounded, signed, throughput};

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
        let facts = Facts {
            findings,
            verdicts,
            error: findings.error_metric(),
            error_changes: findings.error_changes(),
        };
        let recommended = facts.with(RowVerdict::Recommended);
        let caveats = caveats(findings);
        let (Some(baseline), Some(_)) = (findings.baseline, facts.any_speed()) else {
            return Card {
                action: "",
                strategy: String::new(),
                answer: "No results yet: no epoch has finished.".into(),
                figures: Vec::new(),
                caveats,
            };
        };
        let name = |row: usize| findings.name(row).to_owned();
        let (action, strategy, answer, figures) = match recommended {
            Some(row) => (
                "Use",
                name(row),
                facts.use_it(row, baseline),
                facts.compared(row, baseline),
            ),
            None if findings.rows.len() == 1 => (
                "",
                String::new(),
                format!(
                    "Only {} was run, so there is nothing to compare it with.",
                    name(baseline)
                ),
                facts.alone(baseline),
            ),
            None => (
                "Keep",
                name(baseline),
                facts.keep_baseline(baseline),
                facts.alone(baseline),
            ),
        };
        Card {
            action,
            strategy,
            answer,
            figures,
            caveats,
        }
    }
}

struct Facts<'a> {
    findings: &'a Findings,
    verdicts: &'a [RowVerdict],
    error: ErrorMetric,
    error_changes: Vec<Option<Change>>,
}

impl Facts<'_> {
    fn with(&self, verdict: RowVerdict) -> Option<usize> {
        self.verdicts.iter().position(|known| *known == verdict)
    }

    fn speed(&self, row: usize) -> Option<f64> {
        self.findings.mean(row, Metric::UtterancesPerSecond)
    }

    fn any_speed(&self) -> Option<f64> {
        (0..self.verdicts.len()).find_map(|row| self.speed(row))
    }

    fn ratio(&self, row: usize) -> f64 {
        let speed = self.findings.rows[row].speed;
        speed.map_or(1.0, |change| change.estimate)
    }

    /// A difference of errors in as many decimals as it needs.
    fn decimals(&self) -> usize {
        super::summary::decimals(self.error, &self.error_changes)
    }

    /// What to add to a speed-up that is predicted.
    fn predicted(&self, row: usize) -> &'static str {
        match self.findings.time_is_predicted(row) {
            true => " (predicted)",
            false => "",
        }
    }

    fn use_it(&self, row: usize, baseline: usize) -> String {
        let faster = format!(
            "it trains {:.2}× faster{} than {}",
            self.ratio(row),
            self.predicted(row),
            self.findings.name(baseline)
        );
        let name = self.error.name;
        let Some(change) = self.error_changes[row] else {
            return format!("{faster}.");
        };
        match change.is_significant() {
            Some(true) => format!("{faster}, and its {name} is significantly lower."),
            Some(false) if change.estimate > 0.0 => {
                format!("{faster}, and its {name} is not significantly higher.")
            }
            Some(false) => format!("{faster}, and its {name} does not differ significantly."),
            None if change.estimate < 0.0 => format!("{faster}, and its {name} is lower."),
            None => format!("{faster}, and its {name} is the same."),
        }
    }

    fn keep_baseline(&self, baseline: usize) -> String {
        let name = self.findings.name(baseline);
        let fastest = |row: &usize, other: &usize| self.ratio(*row).total_cmp(&self.ratio(*other));
        let is_worse = |row: &usize| self.verdicts[*row].label().starts_with("faster, ");
        let Some(row) = (0..self.verdicts.len()).filter(is_worse).max_by(fastest) else {
            let significantly = match self.findings.has_repeats() {
                true => "significantly ",
                false => "",
            };
            return match self.any_broken() {
                true => format!("no strategy that finished is {significantly}faster."),
                false => format!("no other strategy is {significantly}faster."),
            };
        };
        let (fast, ratio) = (self.findings.name(row), self.ratio(row));
        let predicted = self.predicted(row);
        let higher = |name: &str, change: Change, decimals, unit: &str| {
            let difference = rounded(change.estimate, decimals);
            format!("its {name} is {difference}{unit} higher")
        };
        let ErrorMetric {
            name: error,
            difference_unit,
            ..
        } = self.error;
        let loss = self.findings.rows[row]
            .loss
            .filter(|loss| loss.estimate > 0.0);
        let price = match (self.error_changes[row], loss) {
            (Some(change), _) if change.estimate > 0.0 && !self.only_loss_is_worse(row) => {
                higher(error, change, self.decimals(), difference_unit)
            }
            (_, Some(loss)) => higher(ErrorMetric::LOSS.name, loss, 3, ""),
            _ => format!("its {error} is unknown"),
        };
        let unfinished = match self.any_broken() {
            true => ", or did not finish",
            false => "",
        };
        format!(
            "every faster strategy has a higher error or loss{unfinished}. The fastest, {fast}, trains {ratio:.2}× faster{predicted} than {name}, but {price}."
        )
    }

    fn only_loss_is_worse(&self, row: usize) -> bool {
        self.verdicts[row] == RowVerdict::FasterLossWorse
    }

    fn any_broken(&self) -> bool {
        use RowVerdict::{Diverged, Failed, NotRun, Unfinished};
        let broken = [Diverged, Failed, NotRun, Unfinished];
        self.verdicts.iter().any(|verdict| broken.contains(verdict))
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
                value: format!("{:.2}×", self.ratio(row)),
                detail: format!("{} vs {} utt/s", throughput(speed), throughput(base)),
            });
        }
        if let Some(change) = self.error_changes[row] {
            let decimals = self.decimals();
            let (unit, mean) = (self.error.unit, self.error_mean(row));
            let values = mean.zip(self.error_mean(baseline)).map(|(own, base)| {
                format!(
                    "{} vs {}{unit}",
                    rounded(own, decimals),
                    rounded(base, decimals)
                )
            });
            let interval = change.tested.map(|tested| {
                let [low, high] = [tested.low, tested.high].map(|end| signed(end, decimals));
                format!("95 % CI {low} to {high}")
            });
            figures.push(Figure {
                name: format!("change in {}", self.error.name),
                value: signed(change.estimate, decimals) + self.error.difference_unit,
                detail: values
                    .into_iter()
                    .chain(interval)
                    .collect::<Vec<_>>()
                    .join("; "),
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
        let error = error.map(|value| rounded(value, self.decimals()) + self.error.unit);
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
