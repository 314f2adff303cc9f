//! Renders a comparison as text.

use super::comparison::Comparison;
use super::differences::Difference;
use super::metric_comparison::MetricComparison;
use super::verdict::{UnclearReason, Verdict};
use crate::markdown;
use crate::tables::{Style, TextTable};
use crate::text::{counted, mean_with_interval, or_nothing, p_value, shortest, signed};

/// The columns of the table of metrics, each with its meaning.
pub const COLUMNS: [(&str, &str); 9] = [
    ("strategy", "name of the strategy in both configs"),
    ("metric", "what was measured"),
    (
        "first",
        "mean over seeds in the first run ± 95 % confidence interval",
    ),
    ("second", "the same for the second run"),
    (
        "change",
        "change in %, or the difference where a value is 0; loss, errors: on common seeds",
    ),
    ("95 % CI", "confidence interval of the change"),
    (
        "p",
        "p-value of the change, not corrected for the number of metrics",
    ),
    (
        "detectable",
        "if unclear: the size of a change that would be found with 80 % probability",
    ),
    (
        "verdict",
        "same: CI within ± --tolerance; better, WORSE: beyond it with p < 0.05; else unclear",
    ),
];

/// The reasons for unclear verdicts, each with advice.
const UNCLEAR: [(UnclearReason, &str, &str); 4] = [
    (
        UnclearReason::TooFewSeeds,
        "too few seeds to test",
        "train both with the same seeds, at least two and better five",
    ),
    (
        UnclearReason::WideInterval,
        "confidence interval too wide",
        "train both with more seeds",
    ),
    (
        UnclearReason::BusyMachine,
        "busy machine",
        "repeat the run on an idle machine",
    ),
    (
        UnclearReason::NotTested,
        "not tested",
        "fewer diverged or failed runs may be chance",
    ),
];

/// Renders a comparison: differences in environment and config, every metric with its verdict, warnings and a summary.
pub fn render(comparison: &Comparison, style: Style) -> String {
    let mut text = String::new();
    for (what, differences) in [
        ("Environments", &comparison.environment),
        ("Configs", &comparison.config),
    ] {
        text += &if differences.is_empty() {
            format!("{what}: identical.\n")
        } else {
            format!("{what} differ:\n\n{}\n\n", differing(differences, style))
        };
    }
    text += &format!("\n{}\n\n", metrics(comparison, style));
    if style == Style::Terminal {
        let lines = COLUMNS.map(|(title, meaning)| format!("  {title:<10}  {meaning}\n"));
        text += &(lines.concat() + "\n");
    }
    let shown = match style {
        Style::Terminal => markdown::visible,
        Style::Markdown | Style::Compact => markdown::escaped,
    };
    for doubt in &comparison.doubts {
        text += &format!("Warning: {}.\n", shown(doubt));
    }
    for (which, names) in [
        ("first", &comparison.only_old),
        ("second", &comparison.only_new),
    ] {
        if !names.is_empty() {
            text += &format!("Only in the {which}: {}.\n", shown(&names.join("; ")));
        }
    }
    text + &summary(comparison)
}

/// The number of metrics for each verdict. Unclear ones follow by reason, one per line, with advice.
fn summary(comparison: &Comparison) -> String {
    let count = |is: &dyn Fn(&MetricComparison) -> bool| {
        let compared = comparison.compared.iter();
        compared.filter(|compared| is(compared)).count()
    };
    let with_verdict = |verdict| count(&|compared| compared.verdict == verdict);
    let percent = shortest(100.0 * comparison.tolerance);
    let total = counted(comparison.compared.len() as u64, "metric");
    let worse = with_verdict(Verdict::Worse);
    let mut text = match worse {
        0 => format!("None of {total} is worse by more than {percent} %."),
        1 => format!("1 of {total} is worse by more than {percent} %."),
        _ => format!("{worse} of {total} are worse by more than {percent} %."),
    };
    let same = format!("Same within ±{percent} %");
    for (verdict, what) in [
        (Verdict::Better, "Better"),
        (Verdict::Same, same.as_str()),
        (Verdict::Unclear, "Unclear"),
        (Verdict::Missing, "Missing or not comparable"),
    ] {
        let count = with_verdict(verdict);
        if count > 0 {
            text += &format!(" {what}: {count}.");
        }
    }
    text += "\n";
    for (reason, what, advice) in UNCLEAR {
        let count = count(&|compared| compared.reason == Some(reason));
        if count > 0 {
            text += &format!("Unclear, {what}: {count}; {advice}.\n");
        }
    }
    text
}

fn metrics(comparison: &Comparison, style: Style) -> String {
    let mut table = TextTable::new(COLUMNS.map(|(title, _)| title)).right_aligned(2..8);
    for compared in &comparison.compared {
        let decimals = compared.decimals;
        let change = compared.ratio.or(compared.difference);
        let shown = |value: f64| match compared.ratio {
            Some(_) => format!("{} %", signed(100.0 * (value - 1.0), 1)),
            None => signed(value, decimals),
        };
        let tested = change.and_then(|change| change.tested);
        let interval =
            tested.map(|tested| format!("{} to {}", shown(tested.low), shown(tested.high)));
        let detectable = tested
            .filter(|_| compared.verdict == Verdict::Unclear)
            .and_then(|tested| tested.detectable);
        table.add_row([
            compared.strategy.clone(),
            compared.title.to_owned(),
            mean_with_interval(compared.old, decimals),
            mean_with_interval(compared.new, decimals),
            or_nothing(change.map(|change| shown(change.estimate))),
            or_nothing(interval),
            or_nothing(change.and_then(p_value)),
            or_nothing(detectable.map(shown)),
            verdict(compared.verdict).into(),
        ]);
    }
    table.render(style)
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Same => "same",
        Verdict::Unclear => "unclear",
        Verdict::Worse => "WORSE",
        Verdict::Missing => "missing",
    }
}

fn differing(differences: &[Difference], style: Style) -> String {
    let mut table = TextTable::new(["key", "first", "second"]).right_aligned(0..0);
    for difference in differences {
        table.add_row([&difference.what, &difference.old, &difference.new]);
    }
    table.render(style)
}
