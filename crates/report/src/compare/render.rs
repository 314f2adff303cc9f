//! Renders a comparison as text.

use super::comparison::{Comparison, Verdict};
use super::differences::Difference;
use crate::markdown;
use crate::tables::{Style, TextTable};
use crate::text::{counted, mean_with_interval, or_nothing, shortest, signed};

/// The columns of the table of metrics, each with its meaning.
pub const COLUMNS: [(&str, &str); 7] = [
    ("strategy", "name of the strategy in both configs"),
    ("metric", "what was measured"),
    (
        "first",
        "mean over seeds in the first run ± 95 % confidence interval",
    ),
    ("second", "the same for the second run"),
    (
        "change",
        "relative change from the first to the second run, on common seeds",
    ),
    ("95 % CI", "confidence interval of the change"),
    (
        "verdict",
        "same: within --tolerance; better, WORSE: beyond it; unclear: not significant",
    ),
];

/// Renders a comparison: differences in environment and config, every metric with its verdict, warnings and a summary line.
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
        let lines = COLUMNS.map(|(title, meaning)| format!("  {title:<8}  {meaning}\n"));
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

/// One line with the number of metrics for each verdict.
fn summary(comparison: &Comparison) -> String {
    let count = |verdict: Verdict| {
        let compared = comparison.compared.iter();
        compared
            .filter(|compared| compared.verdict == verdict)
            .count()
    };
    let percent = shortest(100.0 * comparison.tolerance);
    let total = counted(comparison.compared.len() as u64, "metric");
    let worse = count(Verdict::Worse);
    let mut text = match worse {
        0 => format!("None of {total} is worse by more than {percent} %."),
        1 => format!("1 of {total} is worse by more than {percent} %."),
        _ => format!("{worse} of {total} are worse by more than {percent} %."),
    };
    for (verdict, what) in [
        (Verdict::Better, "Better"),
        (Verdict::Same, "Unchanged"),
        (Verdict::Unclear, "Not significant (more seeds needed)"),
        (Verdict::Missing, "Missing in one run"),
    ] {
        if count(verdict) > 0 {
            text += &format!(" {what}: {}.", count(verdict));
        }
    }
    text + "\n"
}

fn metrics(comparison: &Comparison, style: Style) -> String {
    let mut table = TextTable::new(COLUMNS.map(|(title, _)| title)).right_aligned(2..6);
    for compared in &comparison.compared {
        let percent = |ratio: f64| format!("{} %", signed(100.0 * (ratio - 1.0), 1));
        let tested = compared.ratio.and_then(|ratio| ratio.tested);
        let interval =
            tested.map(|tested| format!("{} to {}", percent(tested.low), percent(tested.high)));
        table.add_row([
            compared.strategy.clone(),
            compared.title.to_owned(),
            mean_with_interval(compared.old, compared.decimals),
            mean_with_interval(compared.new, compared.decimals),
            or_nothing(compared.ratio.map(|ratio| percent(ratio.estimate))),
            or_nothing(interval),
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
