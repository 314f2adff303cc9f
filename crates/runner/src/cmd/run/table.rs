//! The table that a run prints at its end, and its legend.

use padwise_experiment_config::Row;
use padwise_report::record::{Metric, Summary};
use padwise_report::statistics::ConfidenceInterval;
use padwise_report::tables::{TextTable, summary_table};
use padwise_report::text::NOTHING;

/// The table of all strategies: all columns, or those that fit 100 characters.
///
/// This is the only place that chooses between the two forms.
pub(super) fn result_table(summary: &Summary, rows: &[Row], wide: bool) -> TextTable {
    if wide {
        summary_table(summary, rows)
    } else {
        compact_table(&summary_table(summary, rows), summary)
    }
}

/// Speed, memory, padding, loss and error rate.
fn compact_table(all: &TextTable, summary: &Summary) -> TextTable {
    let mut table = TextTable::new(["strategy"]);
    for row in &all.rows {
        table.add_row(row.iter().take(1).cloned());
    }
    let from_all = |table: &mut TextTable, metric: Metric| -> bool {
        let title = metric.definition().title;
        let Some(at) = all.header.iter().position(|header| header == title) else {
            return false;
        };
        table.add_column(title, all.rows.iter().map(|row| row[at].clone()));
        true
    };
    let values = |metric: Metric| summary.rows.iter().map(move |row| row.get(metric));
    from_all(&mut table, Metric::UtterancesPerSecond);
    if values(Metric::SpeedUp).any(|value| value.mean.is_some()) {
        let cells = values(Metric::SpeedUp).map(|value| {
            let mean = value.mean.map(|mean| format!("{mean:.2}×"));
            mean.unwrap_or_else(|| NOTHING.into())
        });
        table.add_column(SPEED_UP, cells);
    }
    let memory = || values(Metric::MemoryGb);
    if memory().any(|value| value.mean.is_some()) {
        let in_gb = memory().any(|value| value.mean >= Some(1.0));
        let (title, factor, decimals) = if in_gb { (GB, 1.0, 2) } else { (MB, 1e3, 0) };
        table.add_column(title, memory().map(|value| cell(value, factor, decimals)));
    }
    from_all(&mut table, Metric::ZprPercent);
    from_all(&mut table, Metric::ValidationLoss);
    if !from_all(&mut table, Metric::SequenceErrorPercent) {
        from_all(&mut table, Metric::FrameErrorPercent);
    }
    table
}

const SPEED_UP: &str = "speed-up";
const GB: &str = "GB";
const MB: &str = "MB";

fn cell(value: ConfidenceInterval, factor: f64, decimals: usize) -> String {
    let Some(mean) = value.mean else {
        return NOTHING.into();
    };
    let smallest = 0.5 * 10f64.powi(-(decimals as i32));
    let width = value.half_width.map(|width| width * factor);
    let width = width.filter(|&width| width >= smallest);
    let width = width.map(|width| format!(" ± {width:.decimals$}"));
    format!("{:.decimals$}{}", mean * factor, width.unwrap_or_default())
}

/// The meaning of each column of a table. `phones` is whether the labels are phones.
pub(super) fn meanings(table: &TextTable, phones: bool) -> Vec<(String, String)> {
    let mut entries: Vec<(String, String)> = Vec::new();
    for title in table.header.iter().skip(1) {
        let (title, meaning) = if title.starts_with("paper") {
            (
                "paper",
                "the paper's figure for the column to its left".to_owned(),
            )
        } else if let Some(loss) = title.strip_prefix("s to ") {
            let meaning = format!("seconds of training until the validation loss is {loss}");
            (title.as_str(), meaning)
        } else if let Some(meaning) = meaning(title, phones) {
            (title.as_str(), meaning.to_owned())
        } else {
            continue;
        };
        if entries.iter().all(|(earlier, _)| earlier != title) {
            entries.push((title.to_owned(), meaning));
        }
    }
    entries
}

fn meaning(title: &str, phones: bool) -> Option<&'static str> {
    match title {
        SPEED_UP => return Some("speed relative to the baseline"),
        GB | MB => return Some("peak memory of training; every run is a separate process"),
        _ => {}
    }
    let metrics = Metric::TABLE.iter().map(|&(metric, _)| metric);
    let mut named = metrics.filter(|metric| metric.definition().title == title);
    Some(match named.next()? {
        Metric::UtterancesPerSecond => "utterances per second of training",
        Metric::ValidFramesPerSecond => "frames per second of training, without padding",
        Metric::PaddedFramesPerSecond => "frames per second of training, with padding",
        Metric::WaitPercent => "share of training time spent waiting for the data loader",
        Metric::MemoryGb => "peak memory of training; every run is a separate process",
        Metric::EpochSeconds => "seconds of training per epoch",
        Metric::WarmUpSeconds => "compilation and warm-up, not part of any other time",
        Metric::TimeSavedPercent => "training time saved relative to the baseline",
        Metric::SpeedUp => "speed relative to the baseline",
        Metric::Batches => "batches per epoch",
        Metric::ZprPercent => "zero padding rate (Ge et al.): mean share of padding per batch",
        Metric::Abl => "average batch length: mean frames of the longest utterance",
        Metric::ValidationLossEarly => "smoothed validation loss at 100/220 of the epochs",
        Metric::ValidationLossMiddle => "smoothed validation loss at 160/220 of the epochs",
        Metric::ValidationLoss => "validation loss after the last epoch",
        Metric::ValidationLossAverage => "mean validation loss from 100/220 of the epochs on",
        Metric::FrameErrorPercent => "frame error rate on the validation set",
        Metric::SequenceErrorPercent if phones => "phone error rate of greedy decoding",
        Metric::SequenceErrorPercent => "class error rate of greedy decoding",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_of_a_table_has_a_meaning() {
        for (metric, _) in Metric::TABLE {
            let title = metric.definition().title;
            assert!(meaning(title, true).is_some(), "{title}");
        }
    }
}
