//! The summary table: one row per strategy, fastest first.

use super::interval_plot::IntervalScale;
use super::svg;
use crate::findings::{ErrorMetric, Findings, RowVerdict};
use crate::plots::StrategyStyles;
use crate::record::Metric;
use crate::statistics::Change;
use crate::text::{ChangeFormat, NOTHING, memory, or_nothing, rounded, signed, throughput, times};

/// The table, ready for the template.
pub(super) struct SummaryTable {
    /// The error measure, such as `PER`.
    pub error: &'static str,
    /// The unit of its change.
    pub error_unit: &'static str,
    /// The axis above the interval plots; empty without any.
    pub axis: String,
    pub rows: Vec<SummaryRow>,
    pub note: String,
}

/// One strategy.
pub(super) struct SummaryRow {
    pub name: String,
    /// Its mark in the plots.
    pub mark: String,
    /// Runs that did not finish, and whether the time is predicted; empty if neither applies.
    pub trouble: String,
    pub speed_up: String,
    pub speed: String,
    /// The ends of the speed-up's 95 % interval; empty without a test.
    pub speed_interval: String,
    /// The speed-up as a bar.
    pub bar: String,
    pub error: String,
    /// The ends of the 95 % interval; empty without a test.
    pub interval: String,
    pub plot: String,
    pub memory: String,
    pub verdict: &'static str,
    /// The class of the verdict's label.
    pub class: &'static str,
}

impl SummaryTable {
    pub(super) fn of(
        findings: &Findings,
        verdicts: &[RowVerdict],
        styles: &StrategyStyles,
    ) -> Self {
        let error = findings.error_metric();
        let changes = findings.error_changes();
        let measured: Vec<Change> = changes.iter().flatten().copied().collect();
        let scale = IntervalScale::of(&measured);
        let speed = |row: usize| findings.mean(row, Metric::UtterancesPerSecond);
        let mut order: Vec<usize> = (0..findings.rows.len()).collect();
        order.sort_by(|&a, &b| {
            // Verdicts that do not rest on finished runs go to the end.
            let key = |row: usize| (!verdicts[row].is_broken(), speed(row).unwrap_or(0.0));
            let ((a, a_speed), (b, b_speed)) = (key(a), key(b));
            b.cmp(&a).then(b_speed.total_cmp(&a_speed))
        });
        let table = Table {
            findings,
            styles,
            error,
            decimals: error.decimals(&changes),
            changes,
            scale,
            longest: order
                .iter()
                .filter_map(|&row| speed(row))
                .fold(0.0, f64::max),
        };
        SummaryTable {
            error: error.short,
            error_unit: error.difference_unit.trim(),
            axis: scale.map(|scale| scale.axis()).unwrap_or_default(),
            rows: order
                .iter()
                .map(|&row| table.row(row, verdicts[row]))
                .collect(),
            note: note(findings, error),
        }
    }
}

struct Table<'a> {
    findings: &'a Findings,
    styles: &'a StrategyStyles,
    error: ErrorMetric,
    decimals: usize,
    changes: Vec<Option<Change>>,
    scale: Option<IntervalScale>,
    /// The highest speed: the length of the longest bar.
    longest: f64,
}

impl Table<'_> {
    fn row(&self, row: usize, verdict: RowVerdict) -> SummaryRow {
        let findings = self.findings;
        let found = &findings.rows[row];
        let is_baseline = verdict == RowVerdict::Baseline;
        let speed = findings.mean(row, Metric::UtterancesPerSecond);
        let ratio = found.speed.map(|change| times(change.estimate));
        let speed_interval = found
            .speed
            .and_then(|change| ChangeFormat::Ratio.interval(change));
        let speed_up = match (is_baseline, speed) {
            (true, Some(_)) => "1×".into(),
            _ => or_nothing(ratio),
        };
        let style = self.styles.get(&findings.recorded.config.strategy[row]);
        let colour = svg::colour_name(style.light, self.styles);
        let bar = speed.map(|speed| svg::bar(speed / self.longest, &colour));
        let (error, interval, plot) = self.error(row, is_baseline);
        let gb = findings.mean(row, Metric::MemoryGb);
        SummaryRow {
            name: findings.name(row).into(),
            mark: svg::mark(style.shape, &colour),
            trouble: below_name(findings, row),
            speed_up,
            speed: speed
                .map(|speed| throughput(speed) + " utt/s")
                .unwrap_or_default(),
            speed_interval: speed_interval.unwrap_or_default(),
            bar: bar.unwrap_or_default(),
            error,
            interval,
            plot,
            memory: or_nothing(gb.map(memory)),
            verdict: verdict.label(),
            class: class(verdict),
        }
    }

    /// The change of error as a number, its interval as text, and both as a plot. The baseline has its error itself.
    fn error(&self, row: usize, is_baseline: bool) -> (String, String, String) {
        let ErrorMetric { metric, unit, .. } = self.error;
        if is_baseline {
            let mean = self.findings.mean(row, metric);
            let text = mean.map(|mean| rounded(mean, self.decimals) + unit);
            let zero = self.scale.map(|scale| scale.zero());
            return (or_nothing(text), String::new(), zero.unwrap_or_default());
        }
        let Some(change) = self.changes[row] else {
            return (NOTHING.into(), String::new(), String::new());
        };
        let format = ChangeFormat::Difference(self.decimals, self.error.difference_unit);
        let text = signed(change.estimate, self.decimals);
        let interval = format.interval(change).unwrap_or_default();
        let described = match interval.is_empty() {
            true => format.estimate(change),
            false => format!("{}, 95 % interval {interval}", format.estimate(change)),
        };
        let plot = self.scale.map(|scale| scale.plot(change, &described));
        (text, interval, plot.unwrap_or_default())
    }
}

/// What the reader must know about a row: runs that did not finish, and whether its time is predicted.
fn below_name(findings: &Findings, row: usize) -> String {
    let predicted = match findings.time_is_predicted(row) {
        true => "predicted time",
        false => "",
    };
    let trouble = findings.rows[row].status.trouble();
    let mut notes = vec![trouble.as_str(), predicted];
    notes.retain(|note| !note.is_empty());
    notes.join(", ")
}

/// The class of a verdict's label. The label's text carries the meaning; the class adds colour and border.
fn class(verdict: RowVerdict) -> &'static str {
    match verdict {
        RowVerdict::Recommended => "best",
        RowVerdict::Faster => "good",
        verdict if verdict.is_worse() => "worse",
        verdict if verdict.is_unclear() => "unclear",
        RowVerdict::FasterErrorUnknown | RowVerdict::SpeedUnclear => "unclear",
        RowVerdict::Diverged | RowVerdict::Failed => "bad",
        _ => "plain",
    }
}

/// How to read the table.
fn note(findings: &Findings, error: ErrorMetric) -> String {
    let baseline = findings.baseline_name().unwrap_or("the baseline");
    let both = match error.is_loss() {
        true => "the mean loss is",
        false => "mean error and loss are",
    };
    let name = error.name;
    let over = match (error.is_on_test_set(), findings.has_repeats()) {
        (true, true) => ", by a bootstrap over utterances and seeds",
        (true, false) => ", by a bootstrap over utterances, because there is one seed",
        (false, _) => "",
    };
    let margin = match findings.error_margin() {
        Some(margin) => {
            format!(", or the whole CI of the {name} is below the margin of {margin} points")
        }
        None => String::new(),
    };
    let rule = format!("Not worse: {both} not above {baseline}'s{margin}.");
    match findings.has_repeats() || error.is_on_test_set() {
        true => format!(
            "Fastest first. Below each speed: 95 % confidence interval (CI) of the speed-up. Dot: difference in {name} from {baseline}, mean over seeds. Whiskers: 95 % CI{over}; an arrow marks a CI that is cut off. {rule} Worse: significantly higher, after correction for the number of strategies. Unclear: higher, but not significantly, or not tested."
        ),
        false => format!(
            "Fastest first. Dot: difference in {name} from {baseline}. One seed, so no confidence intervals and no tests. {rule} Unclear: higher."
        ),
    }
}
