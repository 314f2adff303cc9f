//! Comparison with the paper: our figures next to the published ones, each with its ratio to the first row.
//!
//! The ratios are comparable across machines and corpora; the figures are not.

use super::paper_title;
use super::titled::{TitledTable, strategies};
use crate::findings::Findings;
use crate::record::Metric;
use crate::text::{NOTHING, mean_with_interval, or_nothing, shortest};

/// Comparison with the paper. None if the config has no figures from one.
pub fn papers(findings: &Findings) -> Option<TitledTable> {
    let rows = 0..findings.rows.len();
    let mut cells = strategies(findings);
    for (metric, _) in Metric::TABLE {
        let shown = metric.definition();
        let has = |paper| rows.clone().any(|row| findings.paper(row, paper).is_some());
        let mut papers = metric.papers(findings.summary.is_decoded()).to_vec();
        papers.retain(|&paper| has(paper));
        if papers.is_empty() {
            continue;
        }
        let own = rows.clone().map(|row| {
            let own = findings.interval(row, metric);
            let own = match own.mean {
                Some(_) => own,
                // Relative to the baseline, so only the summary has it.
                None => findings.summary.rows[row].get(metric),
            };
            let own = mean_with_interval(own, shown.decimals);
            with_ratio(own, findings.ratio(row, 0, metric))
        });
        cells.add_column(shown.title, own);
        for paper in papers {
            let theirs = rows.clone().map(|row| {
                let value = findings.paper(row, paper);
                let ratio = value.zip(findings.paper(0, paper));
                let ratio = ratio.map(|(value, first)| value / first);
                let value = value.map(|value| shortest(value * paper.factor()));
                with_ratio(or_nothing(value), ratio.filter(|ratio| ratio.is_finite()))
            });
            cells.add_column(paper_title(paper), theirs);
        }
    }
    (cells.header.len() > 1).then(|| TitledTable {
        title: "Comparison with the paper",
        note: format!(
            "In parentheses: ratio to the first row, {}.",
            findings.name(0)
        ),
        cells,
    })
}

fn with_ratio(value: String, ratio: Option<f64>) -> String {
    match ratio {
        Some(ratio) if value != NOTHING => format!("{value} ({ratio:.2}×)"),
        _ => value,
    }
}
