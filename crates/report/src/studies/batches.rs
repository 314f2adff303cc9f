//! Studies of batches: utterance lengths of corpora, and padding compared with the paper.

use std::path::Path;

use super::records::Record;
use crate::record::{Metric, PaperColumn, ReadError};
use crate::statistics::mean;
use crate::tables::TextTable;
use crate::text::with_thousands;

/// Each corpus: its name, its results folder, and the strategies with fixed and with dynamic batch size.
const CORPORA: [(&str, &str, &str, Option<&str>); 3] = [
    (
        "LibriSpeech dev-clean",
        "ge-table2-librispeech",
        "RAND",
        Some("SSB-DBS-BR"),
    ),
    ("CHiME-4 lengths", "doetsch-table2-chime4", "random", None),
    (
        "LJSpeech lengths",
        "ge-table2-ljspeech",
        "RAND",
        Some("SSB-DBS-BR"),
    ),
];
/// Utterances per batch of fixed size.
const BATCH_SIZE: f64 = 16.0;

/// Utterance lengths of each corpus, and its batches of fixed and of dynamic size. A dynamic batch has at most as many frames as 16
/// of the longest utterances.
pub(super) fn lengths(results: &Path) -> Result<TextTable, ReadError> {
    let mut table = TextTable::new([
        "corpus",
        "utterances",
        "mean frames",
        "longest",
        "longest / mean",
        "batches (size 16)",
        "batches (dynamic size)",
        "utterances per dynamic batch",
    ]);
    for (corpus, name, fixed, dynamic) in CORPORA {
        let record = Record::open(results, name)?;
        let runs = record.runs(fixed)?;
        let epochs = || runs.iter().flat_map(|run| &run.epochs);
        let Some(first) = epochs().next() else {
            return Err(record.problem(format!("no completed epoch of `{fixed}`")));
        };
        // The largest batch contains the longest utterance, unless that is in the incomplete last batch. Over many epochs, that is not
        // always the case.
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

/// Deviations of padding, batch lengths and batch counts from the paper, and the largest of each.
pub(super) fn paper_batches(results: &Path) -> Result<TextTable, ReadError> {
    let Record(findings) = Record::open(results, "ge-table2-ljspeech")?;
    let mut table = TextTable::new([
        "strategy",
        "ZPR deviation (points)",
        "ABL deviation %",
        "batches deviation %",
    ]);
    let mut largest = [0.0f64; 3];
    for row in 0..findings.rows.len() {
        let deviations = [
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
        for (largest, deviation) in largest.iter_mut().zip(deviations) {
            *largest = largest.max(deviation.unwrap_or(0.0).abs());
        }
        let cells = deviations.map(|deviation| {
            deviation.map_or(String::new(), |deviation| format!("{deviation:+.2}"))
        });
        table.add_row(std::iter::once(findings.name(row).to_owned()).chain(cells));
    }
    // Rounded up, because documents quote it as an upper bound.
    let largest = largest.map(|deviation| format!("{:.2}", (100.0 * deviation).ceil() / 100.0));
    table.add_row(std::iter::once("largest".to_owned()).chain(largest));
    Ok(table)
}
