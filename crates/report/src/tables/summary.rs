//! The table that a run prints: our columns, each with the paper's beside it where the config has one.

use super::text_table::TextTable;
use crate::record::{Metric, Row, Summary, SummaryRow};
use crate::text::{mean_with_interval, or_nothing, shortest};

/// The table of a summary; the rows of the config have the papers' numbers.
pub fn summary_table(summary: &Summary, rows: &[Row]) -> TextTable {
    let mut table = TextTable::new(["strategy"]);
    for row in &summary.rows {
        table.add_row([name(row)]);
    }
    for (metric, only_beside_a_papers) in Metric::TABLE {
        let shown = metric.definition();
        let has = |paper| rows.iter().any(|row: &Row| row.paper.contains_key(paper));
        let papers = shown.papers.iter().filter(|paper| has(*paper));
        let mut own = summary.rows.iter().map(|row| row.get(metric));
        let measured = own.clone().any(|own| own.mean.is_some());
        if papers.clone().next().is_none() && (only_beside_a_papers || !measured) {
            continue;
        }
        let own = own
            .by_ref()
            .map(|own| mean_with_interval(own, shown.decimals));
        table.add_column(shown.title, own);
        for paper in papers {
            let theirs = rows.iter().map(|row| {
                let value = row.paper.get(paper).map(|value| value * paper.factor());
                or_nothing(value.map(shortest))
            });
            table.add_column(paper.title(), theirs);
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
    let mut name = row.strategy.clone();
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
    use crate::record::{EpochRow, Status};
    use crate::tables::Style;

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
    fn the_papers_numbers_stand_beside_ours() {
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
        let summary = Summary::of(&config, &epochs);
        // The lowest loss that every run reaches: the second SB run gets to 1.1, the first only to 1.2.
        assert_eq!(summary.target_loss, Some(1.2));
        insta::assert_snapshot!(summary_table(&summary, &config.strategy).render(Style::Markdown), @"
        | strategy          |     utt/s | frames/s |   padded/s | wait % |          GB |      s/epoch | paper's | warm-up s |    saved % | paper's | ZPR % |   ABL |          loss | paper's | FER % | PER % | paper's WER % |   s to 1.200 |
        |-------------------|-----------|----------|------------|--------|-------------|--------------|---------|-----------|------------|---------|-------|-------|---------------|---------|-------|-------|---------------|--------------|
        | RAND              | 1.0 ± 0.1 | 495 ± 62 |  792 ± 100 |    2.0 | 1.00 ± 0.01 | 101.0 ± 12.7 |     120 |       0.0 | 0.0 ± 12.6 |       – | 37.50 | 800.0 | 1.050 ± 0.635 |     0.3 |  60.0 |  70.0 |           8.9 | 202.0 ± 25.4 |
        | SB                | 1.7 ± 0.2 | 827 ± 87 | 1322 ± 139 |    2.0 | 1.00 ± 0.01 |   60.5 ± 6.4 |       – |       0.0 | 40.1 ± 6.3 |   36.57 | 37.50 | 800.0 | 1.250 ± 0.635 |       – |  60.0 |  70.0 |             – | 90.5 ± 374.8 |
        | wild (1 diverged) |         – |        – |          – |      – |           – |            – |       – |         – |          – |       – |     – |     – |             – |       – |     – |     – |             – |            – |
        ");
    }
}
