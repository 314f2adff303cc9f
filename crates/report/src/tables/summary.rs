//! The summary table that `padwise run` prints at its end, in a compact and a wide form.

use super::paper_title;
use super::text_table::{Style, TextTable};
use crate::findings::paper;
use crate::record::{Metric, PaperColumn, Row, Summary, SummaryRow};
use crate::statistics::ConfidenceInterval;
use crate::text::{NOTHING, marked, mean_with_interval, or_nothing, shortest, times};

/// Which columns a summary table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SummaryWidth {
    /// The main columns, for a terminal of 100 columns: speed, speed-up, memory, loss and error rates. Next to the speed-up is the
    /// paper's. If the paper reports no speeds, its loss and word error rate are next to ours. A word error rate on the test set
    /// replaces the other error rates, with the paper's next to it.
    Compact,
    /// All columns, with the figures from the paper next to ours.
    Wide,
}

/// Characters per line that a compact table should fit into.
const COMPACT_WIDTH: usize = 100;

/// The summary table of an experiment; `rows` are the strategies of its config, with the figures from the paper.
///
/// Print [`super::legend_text`] below it to explain its columns.
pub fn summary_table(summary: &Summary, rows: &[Row], width: SummaryWidth) -> TextTable {
    match width {
        SummaryWidth::Wide => wide(summary, rows),
        SummaryWidth::Compact => {
            let table = compact(summary, rows, true);
            let first_line = table.render(Style::Terminal);
            let first_line = first_line.lines().next().unwrap_or_default();
            match first_line.chars().count() > COMPACT_WIDTH {
                true => compact(summary, rows, false),
                false => table,
            }
        }
    }
}

fn strategies(summary: &Summary) -> TextTable {
    let mut table = TextTable::new(["strategy"]);
    for row in &summary.rows {
        table.add_row([name(row)]);
    }
    table
}

fn compact(summary: &Summary, rows: &[Row], with_intervals: bool) -> TextTable {
    let mut table = strategies(summary);
    let mut add = |title: &str, cells: Vec<String>| {
        if cells.iter().any(|cell| cell != NOTHING) {
            table.add_column(title, cells);
        }
    };
    let cells = |metric: Metric, with_intervals: bool| -> Vec<String> {
        let means = summary.rows.iter().map(|row| row.get(metric));
        let shown = means.map(|interval| match with_intervals {
            true => interval,
            false => without_interval(interval),
        });
        shown
            .map(|interval| mean_with_interval(interval, metric.definition().decimals))
            .collect()
    };
    let title = |metric: Metric| metric.definition().title;
    let speed = Metric::UtterancesPerSecond;
    add(title(speed), cells(speed, with_intervals));
    add(title(Metric::SpeedUp), speed_ups(summary));
    let paper_speed_ups = paper_speed_ups(summary, rows);
    let has_paper_speed_ups = !paper_speed_ups.is_empty();
    add("paper", paper_speed_ups);
    let (unit, memory) = memory(summary);
    add(unit, memory);
    let loss = Metric::ValidationLoss;
    add(title(loss), cells(loss, with_intervals));
    let paper_cells = |column: PaperColumn| match has_paper_speed_ups {
        true => Vec::new(),
        false => from_paper(rows, column),
    };
    add("paper", paper_cells(PaperColumn::ValidationLoss));
    let word_errors = PaperColumn::WordErrorPercent;
    if summary.is_decoded() {
        let metric = Metric::TestWordErrorPercent;
        add(title(metric), cells(metric, true));
        add(paper_title(word_errors), from_paper(rows, word_errors));
        return table;
    }
    for metric in Metric::ERROR_RATES {
        add(title(metric), cells(metric, false));
    }
    add(paper_title(word_errors), paper_cells(word_errors));
    table
}

/// The paper's figures in the unit of our column.
fn from_paper(rows: &[Row], column: PaperColumn) -> Vec<String> {
    let value = |row: &Row| Some(row.paper.get(&column)? * column.factor());
    let cells = rows.iter().map(|row| or_nothing(value(row).map(shortest)));
    cells.collect()
}

fn without_interval(interval: ConfidenceInterval) -> ConfidenceInterval {
    ConfidenceInterval {
        half_width: None,
        ..interval
    }
}

/// Speed relative to the baseline, by utterances per second.
fn speed_ups(summary: &Summary) -> Vec<String> {
    let rows = summary.rows.iter();
    rows.map(|row| or_nothing(row.speed_ratio.map(times)))
        .collect()
}

/// Speed relative to the baseline in the paper; empty if the paper reports no speeds.
fn paper_speed_ups(summary: &Summary, rows: &[Row]) -> Vec<String> {
    let Some(baseline) = summary.baseline else {
        return Vec::new();
    };
    let speed_up = |row: usize| paper::speed_up(rows, row, baseline);
    let others = (0..rows.len()).filter(|&row| row != baseline);
    if !others.into_iter().any(|row| speed_up(row).is_some()) {
        return Vec::new();
    }
    let with_baseline = |row: usize| speed_up(row).or((row == baseline).then_some(1.0));
    (0..rows.len())
        .map(|row| or_nothing(with_baseline(row).map(times)))
        .collect()
}

/// Memory in MB if all strategies use less than 1 GB, and in GB otherwise; with the unit.
fn memory(summary: &Summary) -> (&'static str, Vec<String>) {
    let metric = Metric::MemoryGb.definition();
    let means = || {
        summary
            .rows
            .iter()
            .map(|row| row.get(Metric::MemoryGb).mean)
    };
    let (unit, factor, decimals) = match means().flatten().all(|gb| gb < 1.0) {
        true => ("MB", 1000.0, 0),
        false => (metric.title, 1.0, metric.decimals),
    };
    let cells = means().map(|gb| or_nothing(gb.map(|gb| format!("{:.decimals$}", factor * gb))));
    (unit, cells.collect())
}

fn wide(summary: &Summary, rows: &[Row]) -> TextTable {
    let mut table = strategies(summary);
    let has = |paper: &PaperColumn| rows.iter().any(|row| row.paper.contains_key(paper));
    for (metric, only_with_paper) in Metric::TABLE {
        let shown = metric.definition();
        let papers = metric.papers(summary.is_decoded());
        let papers = || papers.iter().filter(|paper| has(paper));
        let own = || summary.rows.iter().map(|row| row.get(metric));
        let is_measured = own().any(|own| own.mean.is_some());
        if papers().next().is_none() && (only_with_paper || !is_measured) {
            continue;
        }
        let cells = own().map(|own| mean_with_interval(own, shown.decimals));
        table.add_column(shown.title, cells);
        for &paper in papers() {
            table.add_column(paper_title(paper), from_paper(rows, paper));
        }
        if metric == Metric::UtterancesPerSecond && !has(&PaperColumn::SpeedUp) {
            let title = Metric::SpeedUp.definition().title;
            table.add_column(title, speed_ups(summary));
        }
    }
    if let Some(loss) = summary.target_loss {
        let seconds = summary
            .rows
            .iter()
            .map(|row| row.get(Metric::SecondsToLoss));
        let seconds = seconds.map(|seconds| mean_with_interval(seconds, 1));
        table.add_column(&format!("s to {loss:.3}"), seconds);
    }
    table
}

fn name(row: &SummaryRow) -> String {
    let mut name = marked(&row.strategy, row.time_is_predicted);
    for (count, what) in [(row.diverged, "diverged"), (row.failed, "failed")] {
        if count > 0 {
            name += &format!(" ({count} {what})");
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{EpochRow, Status, WordsRecord};

    const CONFIG: &str = r#"
        [corpus]
        pack = "speech.pack"
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
    fn figures_from_the_paper_are_next_to_ours() {
        let config = padwise_experiment_config::read_text(CONFIG, "test.toml".as_ref(), &[]);
        let config = config.expect("a config");
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
        let summary = Summary::of(&config, &epochs, &WordsRecord::default());
        // The lowest loss that every run reaches: the second SB run reaches 1.1, the first only 1.2.
        assert_eq!(summary.target_loss, Some(1.2));
        let table = |width| summary_table(&summary, &config.strategy, width);
        insta::assert_snapshot!(table(SummaryWidth::Compact).render(Style::Terminal), @"
        ┌─────────────────────────────────────────────────────────────────────────────────────────┐
        │ strategy                utt/s   speed-up   paper     GB            loss   FER %   PER % │
        ╞═════════════════════════════════════════════════════════════════════════════════════════╡
        │ RAND                1.0 ± 0.1      1.00×   1.00×   1.00   1.050 ± 0.635    60.0    70.0 │
        │ SB                  1.7 ± 0.2      1.67×   1.58×   1.00   1.250 ± 0.635    60.0    70.0 │
        │ wild (1 diverged)           –          –       –      –               –       –       – │
        └─────────────────────────────────────────────────────────────────────────────────────────┘
        ");
        insta::assert_snapshot!(table(SummaryWidth::Wide).render(Style::Markdown), @"
        | strategy          |     utt/s | speed-up | frames/s |   padded/s | wait % |          GB |      s/epoch | paper | warm-up s |    saved % | paper | ZPR % |   ABL |          loss | paper | FER % | PER % | paper WER % |   s to 1.200 |
        |-------------------|-----------|----------|----------|------------|--------|-------------|--------------|-------|-----------|------------|-------|-------|-------|---------------|-------|-------|-------|-------------|--------------|
        | RAND              | 1.0 ± 0.1 |    1.00× | 495 ± 62 |  792 ± 100 |    2.0 | 1.00 ± 0.01 | 101.0 ± 12.7 |   120 |       0.0 | 0.0 ± 12.6 |     – | 37.50 | 800.0 | 1.050 ± 0.635 |   0.3 |  60.0 |  70.0 |         8.9 | 202.0 ± 25.4 |
        | SB                | 1.7 ± 0.2 |    1.67× | 827 ± 87 | 1322 ± 139 |    2.0 | 1.00 ± 0.01 |   60.5 ± 6.4 |     – |       0.0 | 40.1 ± 6.3 | 36.57 | 37.50 | 800.0 | 1.250 ± 0.635 |     – |  60.0 |  70.0 |           – | 90.5 ± 374.8 |
        | wild (1 diverged) |         – |        – |        – |          – |      – |           – |            – |     – |         – |          – |     – |     – |     – |             – |     – |     – |     – |           – |            – |
        ");
    }
}
