//! The papers' columns: ours, the paper's beside it, and behind each its ratio to the first row, which is what compares
//! across machines and corpora.

use super::{Grid, NOTHING, PAPERS, name};
use crate::findings::Findings;
use crate::record::PaperColumn;
use crate::record::columns::COLUMNS;
use crate::record::table::{cell, shortest};

/// The papers' columns, where the config has any of their numbers.
pub(super) fn papers(findings: &Findings) -> Option<Grid> {
    let rows = 0..findings.rows.len();
    let has = |column: PaperColumn| {
        let mut rows = rows.clone();
        rows.any(|row| findings.paper(row, column).is_some())
    };
    let mut header = vec!["strategy".to_owned()];
    let mut cells: Vec<Vec<String>> = rows.clone().map(|row| vec![name(findings, row)]).collect();
    for column in &COLUMNS {
        let papers: Vec<_> = column
            .paper
            .iter()
            .filter(|(paper, ..)| has(*paper))
            .collect();
        if papers.is_empty() {
            continue;
        }
        header.push(column.title.into());
        header.extend(papers.iter().map(|(_, title, _)| (*title).to_owned()));
        for (row, cells) in rows.clone().zip(&mut cells) {
            let own = findings.interval(row, column.measured);
            let own = if own.mean.is_some() {
                own
            } else {
                // Measured against the baseline, which single runs know nothing of.
                findings.summary.rows[row].get(column.measured)
            };
            let ratio = findings.ratio(row, 0, column.measured);
            cells.push(with_ratio(cell(own, column.decimals), ratio));
            for &&(paper, _, factor) in &papers {
                let value = findings.paper(row, paper);
                let first = findings.paper(0, paper);
                let ratio = value.zip(first).map(|(value, first)| value / first);
                let shown = value.map_or(NOTHING.into(), |value| shortest(value * factor));
                cells.push(with_ratio(shown, ratio.filter(|ratio| ratio.is_finite())));
            }
        }
    }
    (header.len() > 1).then(|| Grid {
        title: PAPERS.into(),
        note: format!(
            "Behind each number its ratio to the first row, {}; ± is the 95 % interval over seeds.",
            findings.name(0)
        ),
        header,
        rows: cells,
    })
}

fn with_ratio(value: String, ratio: Option<f64>) -> String {
    match ratio {
        Some(ratio) if value != NOTHING => format!("{value} ({ratio:.2}×)"),
        _ => value,
    }
}
