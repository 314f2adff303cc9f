//! What batches are like: lengths of corpora, and padding beside the papers'.

use std::path::Path;

use super::records::Record;
use crate::record::{Metric, PaperColumn, ReadError};
use crate::statistics::mean;
use crate::tables::TextTable;
use crate::text::with_thousands;

/// What each corpus is called, and its record with random batches and with dynamic sizes, where it has them.
const CORPORA: [(&str, &str, &str, Option<&str>); 3] = [
    (
        "LibriSpeech dev-clean",
        "ge-table2-librispeech",
        "RAND",
        Some("SSB-DBS-BR"),
    ),
    ("CHiME-4's lengths", "doetsch-table2-chime4", "random", None),
    (
        "LJSpeech's lengths",
        "ge-table2-ljspeech",
        "RAND",
        Some("SSB-DBS-BR"),
    ),
];
/// Utterances in a batch of fixed size.
const BATCH_SIZE: f64 = 16.0;

/// How far the longest utterance is from the others, and what that makes of batches with as many frames as sixteen of the longest.
pub(super) fn lengths(results: &Path) -> Result<TextTable, ReadError> {
    let mut table = TextTable::new([
        "corpus",
        "utterances",
        "mean frames",
        "longest",
        "longest / mean",
        "batches of 16",
        "of dynamic size",
        "utterances in one of these",
    ]);
    for (corpus, name, fixed, dynamic) in CORPORA {
        let record = Record::open(results, name)?;
        let runs = record.runs(fixed)?;
        let epochs = || runs.iter().flat_map(|run| &run.epochs);
        let Some(first) = epochs().next() else {
            return Err(record.problem(format!("no epoch of `{fixed}` was recorded")));
        };
        // The largest batch is of the longest utterance, unless that falls into the remnant at the end; in one epoch of many it does not.
        let largest = epochs().map(|row| row.largest_batch_frames).max();
        let longest = largest.unwrap_or(0) as f64 / BATCH_SIZE;
        let utterances = first.utterances as f64;
        let average = first.valid_frames as f64 / utterances;
        let mut cells = vec![
            corpus.to_owned(),
            with_thousands(&first.utterances.to_string()),
            format!("{average:.0}"),
            with_thousands(&format!("{longest:.0}")),
            format!("{:.1}", longest / average),
            first.batches.to_string(),
        ];
        cells.extend(match dynamic {
            Some(dynamic) => {
                let runs = record.runs(dynamic)?;
                let epochs = runs.iter().flat_map(|run| &run.epochs);
                let batches = mean(&epochs.map(|row| row.batches as f64).collect::<Vec<_>>());
                [batches, utterances / batches].map(|number| format!("{number:.0}"))
            }
            None => [const { String::new() }; 2],
        });
        table.add_row(cells);
    }
    Ok(table)
}

/// Padding, batch lengths and counts beside those that the paper reports, and how far off the furthest is.
pub(super) fn paper_batches(results: &Path) -> Result<TextTable, ReadError> {
    let Record(findings) = Record::open(results, "ge-table2-ljspeech")?;
    let mut table = TextTable::new([
        "strategy",
        "ZPR: points off",
        "ABL: % off",
        "batches: % off",
    ]);
    let mut furthest = [0.0f64; 3];
    for row in 0..findings.rows.len() {
        let off = [
            (Metric::ZprPercent, PaperColumn::ZprPercent),
            (Metric::Abl, PaperColumn::Abl),
            (Metric::Batches, PaperColumn::Batches),
        ]
        .map(|(metric, paper)| {
            let (ours, theirs) = (findings.mean(row, metric)?, findings.paper(row, paper)?);
            Some(match metric {
                Metric::ZprPercent => ours - theirs,
                _ => 100.0 * (ours / theirs - 1.0),
            })
        });
        for (furthest, off) in furthest.iter_mut().zip(off) {
            *furthest = furthest.max(off.unwrap_or(0.0).abs());
        }
        let cells = off.map(|off| off.map_or(String::new(), |off| format!("{off:+.2}")));
        table.add_row(std::iter::once(findings.name(row).to_owned()).chain(cells));
    }
    // Rounded up: a bound.
    let furthest = furthest.map(|off| format!("{:.2}", (100.0 * off).ceil() / 100.0));
    table.add_row(std::iter::once("furthest".to_owned()).chain(furthest));
    Ok(table)
}
