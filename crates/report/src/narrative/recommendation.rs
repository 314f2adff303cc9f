//! Which strategy to use: the one sentence that all reports begin with.
//!
//! [`Findings::row_verdicts`] decides, so tables, pages and texts agree.

use super::accuracy::{evidence_or_none, higher, not_worse};
use super::verdict::in_parentheses;
use crate::findings::{ErrorMetric, Findings, RowVerdict};
use crate::record::Metric;
use crate::statistics::Change;
use crate::text::{ChangeFormat, times};

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

    /// `trains 1.38× faster than random`, with the evidence.
    fn trains(&self, row: usize, than: Option<&str>) -> String {
        let predicted = self.findings.time_is_predicted(row);
        let predicted = predicted.then(|| "predicted time".to_owned());
        let change = self.findings.rows[row].speed;
        let evidence = change.and_then(|change| ChangeFormat::Ratio.evidence(change));
        let details = in_parentheses([predicted, evidence]);
        let than = than.map(|than| format!(" than {than}"));
        let (ratio, than) = (times(self.ratio(row)), than.unwrap_or_default());
        format!("trains {ratio} faster{than}{details}")
    }

    /// How changes of the error measure are written.
    fn error_format(&self) -> ChangeFormat {
        let decimals = self.error.decimals(&self.error_changes);
        ChangeFormat::Difference(decimals, self.error.difference_unit)
    }

    fn use_it(&self, row: usize, baseline: usize) -> String {
        let faster = self.trains(row, Some(self.findings.name(baseline)));
        let Some(change) = self.error_changes[row] else {
            return format!("it {faster}.");
        };
        let margin = self.findings.error_margin();
        let error = not_worse(change, self.error_format(), margin);
        format!("it {faster}. Its {} {error}.", self.error.name)
    }

    /// The fastest strategy with a verdict.
    fn fastest(&self, is: impl Fn(RowVerdict) -> bool) -> Option<usize> {
        let rows = (0..self.verdicts.len()).filter(|&row| is(self.verdicts[row]));
        rows.max_by(|&a, &b| self.ratio(a).total_cmp(&self.ratio(b)))
    }

    /// A much faster strategy whose error may or may not be worse, so that a user with more time for seeds can find out.
    fn faster_but_unclear(&self, recommended: usize) -> String {
        let is_much_faster = |row: &usize| self.ratio(*row) > MUCH_FASTER * self.ratio(recommended);
        let fastest = self.fastest(RowVerdict::is_unclear);
        let Some(row) = fastest.filter(is_much_faster) else {
            return String::new();
        };
        format!(
            " {} {}, but {}. More seeds would show whether it is worse.",
            self.findings.name(row),
            self.trains(row, None),
            self.price(row)
        )
    }

    /// Why a faster strategy is not recommended: its higher error or loss.
    fn price(&self, row: usize) -> String {
        let verdict = self.verdicts[row];
        if let Some((name, change)) = self.findings.deciding_loss(row, verdict) {
            let format = ChangeFormat::Difference(3, ErrorMetric::LOSS.difference_unit);
            return format!("its {name} {}", higher(change, format));
        }
        let name = self.error.name;
        match self.error_changes[row] {
            Some(change) => format!("its {name} {}", higher(change, self.error_format())),
            None => format!("its {name} is unknown"),
        }
    }

    fn keep_baseline(&self, baseline: usize) -> String {
        let is_unknown = |verdict| verdict == RowVerdict::FasterErrorUnknown;
        let worse = self.fastest(RowVerdict::is_worse);
        let unclear = self.fastest(RowVerdict::is_unclear);
        let unknown = self.fastest(is_unknown);
        // An unclear strategy may turn out to be the best, so it is named first.
        let Some(row) = unclear.or(worse).or(unknown) else {
            return self.none_is_faster();
        };
        let is_broken = |verdict: &RowVerdict| verdict.is_broken();
        let broken = match self.verdicts.iter().any(is_broken) {
            true => ", or did not finish",
            false => "",
        };
        let unknown = match (unknown, unclear.or(worse)) {
            (Some(_), Some(_)) => ", or an unknown one",
            _ => "",
        };
        let why = match (unclear, worse) {
            (Some(_), _) => "has a higher mean error or loss",
            (None, Some(_)) => "has a significantly higher error or loss",
            (None, None) => "has an unknown error",
        };
        let which = match (unclear, worse) {
            (Some(_), Some(_)) => "The fastest that is not significantly worse",
            _ => "The fastest",
        };
        let seeds = match unclear {
            Some(_) => " More seeds would show whether it is worse.",
            None => "",
        };
        format!(
            "every faster strategy {why}{unknown}{broken}. {which}, {}, {}, but {}.{seeds}",
            self.findings.name(row),
            self.trains(row, Some(self.findings.name(baseline))),
            self.price(row)
        )
    }

    /// That no strategy is faster, and the one that comes nearest with the evidence.
    fn none_is_faster(&self) -> String {
        let finished = match self.verdicts.iter().any(|verdict| verdict.is_broken()) {
            true => "no strategy that finished",
            false => "no other strategy",
        };
        let Some(row) = self.fastest(|verdict| verdict == RowVerdict::SpeedUnclear) else {
            return format!("{finished} is faster.");
        };
        let speed = self.findings.rows[row].speed;
        let evidence = speed.and_then(|change| evidence_or_none(change, ChangeFormat::Ratio));
        let ratio = Some(times(self.ratio(row)));
        let details = in_parentheses([ratio, evidence]);
        let name = self.findings.name(row);
        format!("{finished} is significantly faster. The fastest is {name}{details}.")
    }
}
