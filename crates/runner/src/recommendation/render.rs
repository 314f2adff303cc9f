//! The front of strategies as a table, and the recommendation in words.

use padwise_recommend::{Advice, Prediction};
use padwise_report::tables::{Style, TextTable};
use padwise_report::text::{NOTHING, with_thousands};

use super::Recommendation;
use crate::terminal::{legend, memory, paragraph, render_table};

/// A column of the table: title, meaning, and cell.
pub struct Column {
    /// Its title.
    pub title: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    cell: fn(&Prediction) -> String,
}

/// All columns.
pub const COLUMNS: [Column; 8] = [
    Column {
        title: "strategy",
        meaning: "one-line form, for configs and commands",
        cell: |row| row.strategy.to_string(),
    },
    Column {
        title: "epoch s",
        meaning: "predicted training time of an epoch, seconds",
        cell: |row| three_digits(row.epoch_seconds),
    },
    Column {
        title: "speed-up",
        meaning: "predicted speed relative to random batches",
        cell: |row| format!("{:.2}", row.speed_up),
    },
    Column {
        title: "randomness",
        meaning: "share of the pairs in a batch that are new in the next epoch",
        cell: |row| format!("{:.3}", row.randomness),
    },
    Column {
        title: "padding %",
        meaning: "padding / all frames, in percent",
        cell: |row| format!("{:.1}", 100.0 * row.padding),
    },
    Column {
        title: "steps",
        meaning: "batches per epoch",
        cell: |row| with_thousands(&row.steps.to_string()),
    },
    Column {
        title: "memory",
        meaning: "predicted peak memory of the largest batch",
        cell: |row| row.peak_bytes.map_or_else(|| NOTHING.into(), memory),
    },
    Column {
        title: "accuracy",
        meaning: "loss and errors relative to random, in our records",
        cell: |row| row.evidence.verdict.name().into(),
    },
];

/// A number with at least three significant digits.
fn three_digits(value: f64) -> String {
    match value {
        ..1.0 => format!("{value:.3}"),
        1.0..100.0 => format!("{value:.2}"),
        _ => with_thousands(&format!("{value:.0}")),
    }
}

/// The strategies to show: all, or the front, random and the recommended one.
fn table(recommendation: &Recommendation, all: bool) -> TextTable {
    let search = &recommendation.search;
    let mut table = TextTable::new(COLUMNS.map(|column| column.title));
    for (index, row) in search.predictions.iter().enumerate() {
        let is_named = [
            Some(search.recommended),
            search.runner_up,
            Some(search.baseline),
        ]
        .contains(&Some(index));
        if all || row.on_front || is_named {
            table.add_row(COLUMNS.map(|column| (column.cell)(row)));
        }
    }
    table
}

fn heading(recommendation: &Recommendation, source: &str, utterances: usize, all: bool) -> String {
    let shown = match all {
        true => "All strategies, the fastest first.",
        false => "The fastest strategy for every degree of randomness, and random batches.",
    };
    format!(
        "{} utterances, {source}.\nPredicted for {}, batch size {}.\nLargest error of predicted step times: {:.0} % (held-out shapes).\n{shown}",
        with_thousands(&utterances.to_string()),
        recommendation.device,
        recommendation.batch_size,
        recommendation.profile_error_percent
    )
}

/// The parts of an advice below its summary.
fn named_parts(advice: &Advice) -> impl Iterator<Item = (&'static str, &String)> {
    let parts = [
        ("Why", Some(&advice.reason)),
        ("Risk", Some(&advice.risk)),
        ("Runner-up", advice.runner_up.as_ref()),
    ];
    parts
        .into_iter()
        .filter_map(|(name, part)| Some((name, part?)))
}

/// The result for a terminal.
pub fn table_text(
    recommendation: &Recommendation,
    source: &str,
    utterances: usize,
    all: bool,
) -> String {
    let advice = &recommendation.advice;
    let mut text = format!(
        "{}\n\n{}\n\n{}\n{}\n\n",
        heading(recommendation, source, utterances, all),
        render_table(&table(recommendation, all)),
        legend(COLUMNS.map(|column| (column.title, column.meaning))),
        paragraph(&advice.summary, 0),
    );
    for (name, part) in named_parts(advice) {
        text += &(paragraph(&format!("{name}: {part}"), 2) + "\n");
    }
    text + &format!("\nFor a config:\n\n{}", advice.toml)
}

/// The result as Markdown.
pub fn markdown(
    recommendation: &Recommendation,
    source: &str,
    utterances: usize,
    all: bool,
) -> String {
    let advice = &recommendation.advice;
    let mut text = format!("**{}**\n\n", advice.summary);
    for (name, part) in named_parts(advice) {
        text += &format!("- **{name}:** {part}\n");
    }
    text + &format!(
        "\n{}\n\n{}\n\n```toml\n{}```\n",
        heading(recommendation, source, utterances, all),
        table(recommendation, all).render(Style::Markdown),
        advice.toml
    )
}
