//! A comparison as text.

use super::comparison::{Comparison, Verdict};
use super::differences::Difference;
use crate::tables::{Style, TextTable};
use crate::text::{mean_with_interval, or_nothing, signed};

/// What is not the same around the two, every measure with its verdict, and what is to be thought of it all.
pub fn render(comparison: &Comparison, style: Style) -> String {
    let mut text = String::new();
    for (what, differences) in [
        ("Environments", &comparison.environment),
        ("Configs", &comparison.config),
    ] {
        text += &if differences.is_empty() {
            format!("{what}: the same.\n")
        } else {
            format!("{what} differ:\n\n{}\n\n", differing(differences, style))
        };
    }
    text += &format!("\n{}\n\n", measures(comparison, style));
    for doubt in &comparison.doubts {
        text += &format!("Beware: {doubt}.\n");
    }
    for (which, names) in [
        ("first", &comparison.only_old),
        ("second", &comparison.only_new),
    ] {
        if !names.is_empty() {
            text += &format!("Only in the {which}: {}.\n", names.join("; "));
        }
    }
    text + &closing(comparison)
}

fn closing(comparison: &Comparison) -> String {
    let count = |verdict: Verdict| {
        let compared = comparison.compared.iter();
        compared
            .filter(|compared| compared.verdict == verdict)
            .count()
    };
    let percent = 100.0 * comparison.tolerance;
    let mut said = format!(
        "{} of {} measures are worse by more than {percent:.3} %",
        count(Verdict::Worse),
        comparison.compared.len()
    )
    .replace(".000 %", " %");
    for (verdict, what) in [
        (Verdict::Better, "better"),
        (Verdict::Same, "the same"),
        (Verdict::Unclear, "unclear, for which more seeds are needed"),
        (Verdict::Missing, "on one side only"),
    ] {
        if count(verdict) > 0 {
            said += &format!("; {} {what}", count(verdict));
        }
    }
    said + ".\n"
}

fn measures(comparison: &Comparison, style: Style) -> String {
    let mut table = TextTable::new([
        "strategy",
        "measure",
        "first",
        "second",
        "change",
        "95 % interval",
        "verdict",
    ])
    .right_aligned(2..6);
    for compared in &comparison.compared {
        let percent = |ratio: f64| format!("{} %", signed(100.0 * (ratio - 1.0), 1));
        let tested = compared.ratio.and_then(|ratio| ratio.tested);
        let interval =
            tested.map(|tested| format!("{} to {}", percent(tested.low), percent(tested.high)));
        table.add_row([
            compared.strategy.clone(),
            compared.measure.replace('_', " "),
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
    let mut table = TextTable::new(["", "first", "second"]).right_aligned(0..0);
    for difference in differences {
        table.add_row([&difference.what, &difference.old, &difference.new]);
    }
    table.render(style)
}
