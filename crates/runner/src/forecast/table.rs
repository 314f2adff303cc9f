//! The forecast of every strategy as a table.

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use padwise_report::record::Interval;
use padwise_sampler::Stats;

use super::{Forecast, Probed, gigabytes};

/// What every strategy will do, and what came of trying its largest batch, as a table.
pub fn forecast_table(forecasts: &[Forecast], probed: &[Probed]) -> Table {
    let mut table = Table::new();
    table
        .load_style(UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header([
            "strategy",
            "batches",
            "ZPR %",
            "ABL",
            "dropped",
            "largest batch",
            "needs about",
            "took",
        ]);
    for (forecast, probed) in forecasts.iter().zip(probed) {
        let mean = |of: &dyn Fn(&Stats) -> Option<f64>, decimals: usize| {
            let mean = Interval::of(forecast.stats.iter().map(of)).mean;
            mean.map_or("–".into(), |mean| format!("{mean:.decimals$}"))
        };
        table.add_row([
            forecast.name.clone(),
            mean(&|stats| Some(stats.batches as f64), 0),
            mean(&|stats| stats.zpr.map(|zpr| 100.0 * zpr), 2),
            mean(&|stats| stats.abl, 1),
            mean(&|stats| Some(stats.dropped as f64), 0),
            format!("{} × {}", forecast.largest.items, forecast.largest.length),
            gigabytes(forecast.largest.bytes),
            match probed {
                Probed::Fits(Some(bytes)) => gigabytes(*bytes),
                Probed::Fits(None) => "fits".into(),
                Probed::Fails(_) => "does not fit".into(),
                Probed::TooSlow | Probed::NoRoom => "–".into(),
            },
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
