//! A comparison as text.

use comfy_table::presets::{ASCII_MARKDOWN, UTF8_BORDERS_ONLY};
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::{Compared, Comparison, Difference, Verdict};
use crate::record::table::cell;
use crate::words::signed;

/// What tables look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// For a terminal.
    Terminal,
    /// For a document.
    Markdown,
}

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

fn measures(comparison: &Comparison, style: Style) -> Table {
    let mut table = empty(style);
    table.set_header([
        "strategy",
        "measure",
        "first",
        "second",
        "change",
        "95 % interval",
        "verdict",
    ]);
    for compared in &comparison.compared {
        let percent = |ratio: f64| format!("{} %", signed(100.0 * (ratio - 1.0), 1));
        let change = compared.ratio.map(|ratio| percent(ratio.estimate));
        let interval = compared
            .ratio
            .and_then(|ratio| ratio.tested)
            .map(|tested| format!("{} to {}", percent(tested.low), percent(tested.high)));
        table.add_row([
            compared.strategy.clone(),
            compared.measure.replace('_', " "),
            cell(compared.old, decimals(compared)),
            cell(compared.new, decimals(compared)),
            change.unwrap_or_else(|| "–".into()),
            interval.unwrap_or_else(|| "–".into()),
            verdict(compared.verdict).into(),
        ]);
    }
    for column in table.column_iter_mut().skip(2).take(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn decimals(compared: &Compared) -> usize {
    match compared.measure {
        "memory_gb" => 2,
        "validation_loss" => 3,
        "broken_runs" => 0,
        _ => 1,
    }
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

fn differing(differences: &[Difference], style: Style) -> Table {
    let mut table = empty(style);
    table.set_header(["", "first", "second"]);
    for difference in differences {
        table.add_row([&difference.what, &difference.old, &difference.new]);
    }
    table
}

fn empty(style: Style) -> Table {
    let mut table = Table::new();
    table
        .load_style(match style {
            Style::Terminal => UTF8_BORDERS_ONLY,
            Style::Markdown => ASCII_MARKDOWN,
        })
        .set_content_arrangement(ContentArrangement::Disabled);
    table
}
