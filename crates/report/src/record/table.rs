//! The table of an experiment: our columns, each with the paper's beside it where the config has one.

use comfy_table::presets::{ASCII_MARKDOWN, UTF8_BORDERS_ONLY};
use comfy_table::{CellAlignment, ContentArrangement, Table, TableStyle};

use super::columns::{COLUMNS, Column};
use super::{Interval, Measured, PaperColumn, Row, Summary, SummaryRow};

/// The table for a terminal.
pub fn for_terminal(summary: &Summary, rows: &[Row]) -> String {
    table(summary, rows, UTF8_BORDERS_ONLY).to_string()
}

/// The table for a document.
pub fn for_markdown(summary: &Summary, rows: &[Row]) -> String {
    table(summary, rows, ASCII_MARKDOWN).to_string()
}

fn table(summary: &Summary, rows: &[Row], style: TableStyle) -> Table {
    let mut table = Table::new();
    // Lines are left as long as they are: a terminal folds them, and a table cut to fit would lose figures.
    table
        .load_style(style)
        .set_content_arrangement(ContentArrangement::Disabled);
    let has = |paper: PaperColumn| rows.iter().any(|row| row.paper.contains_key(&paper));
    let measured = |column: &Column| {
        let means = summary.rows.iter().map(|row| row.get(column.measured).mean);
        means.flatten().next().is_some()
    };
    let shown: Vec<&Column> = COLUMNS
        .iter()
        .filter(|column| {
            let beside = column.paper.iter().any(|&(paper, _, _)| has(paper));
            beside || (!column.only_beside && measured(column))
        })
        .collect();
    let mut header = vec!["strategy".to_owned()];
    for column in &shown {
        header.push(column.title.into());
        let papers = column.paper.iter().filter(|(paper, _, _)| has(*paper));
        header.extend(papers.map(|(_, title, _)| (*title).to_owned()));
    }
    let target = summary.target_loss;
    if let Some(loss) = target {
        header.push(format!("s to {loss:.3}"));
    }
    table.set_header(header);
    for (row, summary) in rows.iter().zip(&summary.rows) {
        let mut cells = vec![name(summary)];
        for column in &shown {
            cells.push(cell(summary.get(column.measured), column.decimals));
            for (paper, _, factor) in column.paper.iter().filter(|(paper, _, _)| has(*paper)) {
                let value = row.paper.get(paper).map(|value| value * factor);
                cells.push(value.map_or("–".into(), shortest));
            }
        }
        if target.is_some() {
            cells.push(cell(summary.get(Measured::SecondsToLoss), 1));
        }
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn name(row: &SummaryRow) -> String {
    let mut name = row.strategy.clone();
    for (count, what) in [(row.diverged, "diverged"), (row.failed, "failed")] {
        if count > 0 {
            name += &format!(" ({count} {what})");
        }
    }
    name
}

/// A mean, with half its interval where that is wide enough to be seen in so many decimals.
pub(crate) fn cell(interval: Interval, decimals: usize) -> String {
    let Some(mean) = interval.mean else {
        return "–".into();
    };
    let shown = 0.5 * 10f64.powi(-(decimals as i32));
    let width = interval.half_width.filter(|&width| width >= shown);
    let width = width.map(|width| format!(" ± {width:.decimals$}"));
    format!("{mean:.decimals$}{}", width.unwrap_or_default())
}

/// A paper's number, to no more decimals than it has.
pub(crate) fn shortest(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{EpochRow, Outline, Status};

    const CONFIG: &str = r#"
        [train]
        epochs = 2
        seeds = [1, 2]
        [measure]
        baseline = "RAND"
        [[strategy]]
        name = "RAND"
        line = "random"
        paper = { epoch-minutes = 2.0, validation-loss = 0.3, word-error-percent = 8.9 }
        [[strategy]]
        name = "SB"
        line = "sorted"
        paper = { time-saved-percent = 36.57 }
        [[strategy]]
        name = "wild"
        line = "smart"
    "#;

    fn epoch(strategy: &str, seed: u64, epoch: u64, seconds: f64, loss: f64) -> EpochRow {
        EpochRow {
            strategy: strategy.into(),
            seed,
            epoch,
            batches: 10,
            utterances: 100,
            valid_frames: 50_000,
            padded_frames: 80_000,
            zpr_percent: Some(37.5),
            abl: Some(800.0),
            train_seconds: seconds,
            wait_seconds: seconds / 50.0,
            validation_loss: Some(loss),
            frame_error_percent: Some(60.0),
            sequence_error_percent: Some(70.0),
            host_base_bytes: Some(100_000_000),
            host_peak_bytes: Some(1_100_000_000 + 1_000_000 * seed),
            ..EpochRow::default()
        }
    }

    #[test]
    fn the_papers_numbers_stand_beside_ours() {
        let outline = Outline::from_config(CONFIG).expect("a config");
        let mut epochs = vec![
            epoch("RAND", 1, 1, 100.0, 2.0),
            epoch("RAND", 1, 2, 100.0, 1.0),
            epoch("SB", 1, 1, 60.0, 1.5),
            epoch("SB", 1, 2, 60.0, 1.2),
            epoch("RAND", 2, 1, 102.0, 2.1),
            epoch("RAND", 2, 2, 102.0, 1.1),
            epoch("SB", 2, 1, 61.0, 1.1),
            epoch("SB", 2, 2, 61.0, 1.3),
        ];
        epochs.push(EpochRow {
            strategy: "wild".into(),
            seed: 1,
            epoch: 1,
            status: Status::Diverged,
            ..EpochRow::default()
        });
        let summary = Summary::of(&outline, &epochs);
        // The lowest loss that every run reaches: the second SB run gets to 1.1, the first only to 1.2.
        assert_eq!(summary.target_loss, Some(1.2));
        insta::assert_snapshot!(for_markdown(&summary, &outline.rows), @"
        | strategy          |     utt/s | frames/s |   padded/s | wait % |          GB |      s/epoch | paper's | warm-up s |    saved % | paper's | ZPR % |   ABL |          loss | paper's | FER % | PER % | paper's WER % |   s to 1.200 |
        |-------------------|-----------|----------|------------|--------|-------------|--------------|---------|-----------|------------|---------|-------|-------|---------------|---------|-------|-------|---------------|--------------|
        | RAND              | 1.0 ± 0.1 | 495 ± 62 |  792 ± 100 |    2.0 | 1.00 ± 0.01 | 101.0 ± 12.7 |     120 |       0.0 | 0.0 ± 12.6 |       – | 37.50 | 800.0 | 1.050 ± 0.635 |     0.3 |  60.0 |  70.0 |           8.9 | 202.0 ± 25.4 |
        | SB                | 1.7 ± 0.2 | 827 ± 87 | 1322 ± 139 |    2.0 | 1.00 ± 0.01 |   60.5 ± 6.4 |       – |       0.0 | 40.1 ± 6.3 |   36.57 | 37.50 | 800.0 | 1.250 ± 0.635 |       – |  60.0 |  70.0 |             – | 90.5 ± 374.8 |
        | wild (1 diverged) |         – |        – |          – |      – |           – |            – |       – |         – |          – |       – |     – |     – |             – |       – |     – |     – |             – |            – |
        ");
    }
}
