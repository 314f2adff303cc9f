//! The forecast of every strategy as a table.

use padwise_report::statistics::ConfidenceInterval;
use padwise_report::tables::{Style, TextTable};
use padwise_sampler::Stats;

use super::{Forecast, Probed, gigabytes};

/// What every strategy will do, and what came of trying its largest batch, as a table.
pub fn forecast_table(forecasts: &[Forecast], probed: &[Probed]) -> String {
    let mut table = TextTable::new([
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
            let mean = ConfidenceInterval::of(forecast.stats.iter().map(of)).mean;
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
    table.render(Style::Terminal)
}
