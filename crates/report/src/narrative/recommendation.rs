//! Which strategy to use: the one sentence that all reports begin with.
//!
//! [`Findings::row_verdicts`] decides, so tables, pages and texts agree.

use crate::findings::{ErrorMetric, Findings, RowVerdict};
use crate::record::Metric;
use crate::statistics::Change;
use crate::text::rounded;

/// A strategy is much faster than another if it is this many times as fast.
const MUCH_FASTER: f64 = 1.1;

/// Which strategy to use, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recommendation {
    /// What to do: `Use`, or `Keep`; empty if there is nothing to compare.
    pub action: &'static str,
    /// The recommended strategy: its row. None if there is nothing to compare.
    pub row: Option<usize>,
    /// The reason, which continues the sentence.
    pub reason: String,
}

impl Recommendation {
    /// Recommends the fastest strategy whose error and loss are not worse than the baseline's, or the baseline.
    pub fn of(findings: &Findings, verdicts: &[RowVerdict]) -> Self {
        let facts = Facts {
            findings,
            verdicts,
            error: findings.error_metric(),
            error_changes: findings.error_changes(),
        };
        let nothing = |reason: String| Recommendation {
            action: "",
            row: None,
            reason,
        };
        let has_speed = |row| findings.mean(row, Metric::UtterancesPerSecond).is_some();
        let any_speed = (0..verdicts.len()).any(has_speed);
        let Some(baseline) = findings.baseline.filter(|_| any_speed) else {
            return nothing("No results yet: no epoch has finished.".into());
        };
        let is_best = |verdict: &RowVerdict| *verdict == RowVerdict::Recommended;
        match verdicts.iter().position(is_best) {
            Some(row) => Recommendation {
                action: "Use",
                row: Some(row),
                reason: facts.use_it(row, baseline) + &facts.faster_but_unclear(row),
            },
            None if verdicts.len() == 1 => nothing(format!(
                "Only {} was run, so there is nothing to compare it with.",
                findings.name(baseline)
            )),
            None => Recommendation {
                action: "Keep",
                row: Some(baseline),
                reason: facts.keep_baseline(baseline),
            },
        }
    }

    /// The recommendation as a sentence.
    pub fn sentence(&self, findings: &Findings) -> String {
        match self.row {
            Some(row) => format!("{} {}: {}", self.action, findings.name(row), self.reason),
            None => self.reason.clone(),
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
    fn ratio(&self, row: usize) -> f64 {
        let speed = self.findings.rows[row].speed;
        speed.map_or(1.0, |change| change.estimate)
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

    /// A much faster strategy whose error may or may not be worse, so that a user with more time for seeds can find out.
    fn faster_but_unclear(&self, recommended: usize) -> String {
        let is_unclear = |row: &usize| self.verdicts[*row] == RowVerdict::FasterErrorUnclear;
        let is_much_faster = |row: &usize| self.ratio(*row) > MUCH_FASTER * self.ratio(recommended);
        let rows = (0..self.verdicts.len()).filter(is_unclear);
        let fastest = |row: &usize, other: &usize| self.ratio(*row).total_cmp(&self.ratio(*other));
        let Some(row) = rows.filter(is_much_faster).max_by(fastest) else {
            return String::new();
        };
        format!(
            " {} trains {:.2}× faster{}; more seeds would show whether its error is higher.",
            self.findings.name(row),
            self.ratio(row),
            self.predicted(row)
        )
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
            (Some(change), _) if change.estimate > 0.0 && !self.only_loss_is_worse(row) => higher(
                error,
                change,
                self.error.decimals(&self.error_changes),
                difference_unit,
            ),
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
}
