//! The forecast of every strategy as a table.

use padwise_report::statistics::ConfidenceInterval;
use padwise_report::tables::TextTable;
use padwise_report::text::{NOTHING, with_thousands};

use super::{EpochFigures, Forecast, Probed};
use crate::terminal::{memory, short_duration};

/// The table of `run --check`, with its legend.
pub struct ForecastTable {
    /// One row per strategy.
    pub table: TextTable,
    /// Each column's title and meaning.
    pub legend: Vec<(&'static str, &'static str)>,
}

impl ForecastTable {
    /// The forecasts with the results of trying each largest batch and the estimated times in seconds. `wide` adds ZPR, ABL and
    /// dropped.
    pub fn new(
        forecasts: &[Forecast],
        probed: &[Probed],
        times: &[Option<f64>],
        wide: bool,
    ) -> Self {
        let mut table = TextTable::new(["strategy"]);
        for forecast in forecasts {
            table.add_row([forecast.name.clone()]);
        }
        let mut this = ForecastTable {
            table,
            legend: Vec::new(),
        };
        let mean = |of: fn(&EpochFigures) -> Option<f64>, decimals: usize| {
            forecasts.iter().map(move |forecast| {
                let mean = ConfidenceInterval::of(forecast.epochs.iter().map(of)).mean;
                match mean {
                    None => NOTHING.into(),
                    Some(mean) if decimals == 0 => with_thousands(&format!("{mean:.0}")),
                    Some(mean) => format!("{mean:.decimals$}"),
                }
            })
        };
        this.add(
            ("batches", "batches per epoch"),
            mean(|epoch| Some(epoch.batches as f64), 0),
        );
        if wide {
            this.add(
                (
                    "ZPR %",
                    "zero padding rate (Ge et al.): mean share of padding per batch",
                ),
                mean(|epoch| epoch.zpr.map(|zpr| 100.0 * zpr), 2),
            );
            this.add(
                (
                    "ABL",
                    "average batch length: mean frames of the longest utterance",
                ),
                mean(|epoch| epoch.abl, 1),
            );
        }
        this.add(
            (
                "padding %",
                "padding / all frames computed; training time grows with it",
            ),
            mean(
                |epoch| epoch.pooled_padding.map(|padding| 100.0 * padding),
                2,
            ),
        );
        let all_epochs = || forecasts.iter().flat_map(|forecast| &forecast.epochs);
        if wide || all_epochs().any(|epoch| epoch.dropped > 0) {
            this.add(
                ("dropped", "utterances (or chunks) dropped per epoch"),
                mean(|epoch| Some(epoch.dropped as f64), 0),
            );
        }
        this.add(
            ("largest", "largest batch: utterances × padded frames"),
            forecasts.iter().map(|forecast| {
                let frames = with_thousands(&forecast.largest.length.to_string());
                format!("{} × {frames}", forecast.largest.items)
            }),
        );
        this.add(
            (
                "estimate",
                match forecasts
                    .iter()
                    .any(|forecast| forecast.largest.sharing > 1)
                {
                    true => {
                        "memory of a training step on it, in all workers, estimated from its shape"
                    }
                    false => "memory of a training step on it, estimated from its shape",
                },
            ),
            forecasts
                .iter()
                .map(|forecast| memory(forecast.largest.bytes)),
        );
        this.add(
            (
                "measured",
                "peak memory of two training steps on it, in a separate process",
            ),
            probed.iter().map(|probed| match probed {
                Probed::Fits {
                    bytes: Some(bytes), ..
                } => memory(*bytes),
                Probed::Fits { bytes: None, .. } => "fits".into(),
                Probed::OutOfMemory(_) => "does not fit".into(),
                Probed::Fails(_) => "failed".into(),
                Probed::TooSlow | Probed::NoRoom => NOTHING.into(),
            }),
        );
        this.add(
            (
                "time",
                "training and validation of all seeds, scaled from the second step",
            ),
            times.iter().map(|time| match time {
                Some(seconds) => short_duration(*seconds),
                None => NOTHING.into(),
            }),
        );
        this
    }

    fn add(
        &mut self,
        (title, meaning): (&'static str, &'static str),
        cells: impl Iterator<Item = String>,
    ) {
        self.table.add_column(title, cells);
        self.legend.push((title, meaning));
    }
}
