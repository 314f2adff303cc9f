//! Predicted speed-up against randomness of all strategies, with the Pareto front.

use padwise_recommend::Prediction;
use padwise_recommend::evidence::Verdict;
use padwise_report::plots::canvas::{DrawResult, Drawing, FONT, Pen};
use padwise_report::plots::palette::{BLUE, FAINT, GREEN, INK, VERMILLION};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::style::{heading, house_style};
use crate::recommendation::Recommendation;

/// A smaller share of repeated pairs is drawn as this one.
const FEWEST_REPEATED: f64 = 1e-6;

pub(super) struct RecommendationPicture<'a> {
    pub found: &'a Recommendation,
    pub source: &'a str,
}

impl Drawing for RecommendationPicture<'_> {
    fn size(&self) -> (u32, u32) {
        (1000, 640)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, _: Pen) -> DrawResult<B> {
        let search = &self.found.search;
        let best = &search.predictions[search.recommended];
        let title = format!("Recommended: {}", best.strategy);
        let subtitle = format!(
            "Lengths: {}. Predicted for {}.",
            self.source, self.found.device
        );
        let below = heading(area, &title, &subtitle)?;
        let fastest = search
            .predictions
            .iter()
            .map(|row| row.speed_up)
            .fold(1.0, f64::max);
        let lowest = 0.9
            * search
                .predictions
                .iter()
                .map(|row| row.speed_up)
                .fold(1.0, f64::min);
        let most_random = search
            .predictions
            .iter()
            .map(|row| point(row).0)
            .fold(1.0, f64::max);
        let mut chart = ChartBuilder::on(&below)
            .margin(12)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(60)
            .build_cartesian_2d(-0.05..most_random + 0.1, lowest..fastest * 1.08)?;
        house_style(&mut chart.configure_mesh())
            .x_label_formatter(&|place| randomness(*place))
            .y_label_formatter(&|speed| format!("{speed:.1}×"))
            .x_desc("randomness: share of the pairs in a batch that are new in the next epoch")
            .y_desc("predicted speed relative to random batches")
            .draw()?;
        let front: Vec<(f64, f64)> = search
            .predictions
            .iter()
            .filter(|row| row.on_front)
            .map(point)
            .collect();
        chart.draw_series(LineSeries::new(front, FAINT.stroke_width(3)))?;
        let rows = |verdicts: &'static [Verdict]| {
            let rows = search.predictions.iter();
            rows.filter(|row| verdicts.contains(&row.evidence.verdict))
                .map(point)
        };
        // Shape and colour both tell the verdict, so the plot can be read without colour.
        let worse = rows(&[Verdict::Worse]);
        chart
            .draw_series(worse.map(|at| Cross::new(at, 6, VERMILLION.stroke_width(2))))?
            .label("worse than random in our records")
            .legend(|(x, y)| Cross::new((x + 10, y), 6, VERMILLION.stroke_width(2)));
        let untested = rows(&[Verdict::Untested]);
        chart
            .draw_series(untested.map(|at| TriangleMarker::new(at, 7, BLUE.filled())))?
            .label("not tested")
            .legend(|(x, y)| TriangleMarker::new((x + 10, y), 7, BLUE.filled()));
        let as_good = rows(&[Verdict::NoDifference, Verdict::Baseline]);
        chart
            .draw_series(as_good.map(|at| Circle::new(at, 6, GREEN.filled())))?
            .label("errors not worse than random in our records")
            .legend(|(x, y)| Circle::new((x + 10, y), 6, GREEN.filled()));
        chart.draw_series([Circle::new(point(best), 11, INK.stroke_width(2))])?;
        let background = WHITE.mix(0.85);
        let label = (FONT, 14).into_font().color(&INK);
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerLeft)
            .background_style(background)
            .border_style(FAINT)
            .label_font(label)
            .draw()
    }
}

/// Most strategies repeat few pairs, so the horizontal axis is logarithmic in the share of repeated pairs.
fn point(row: &Prediction) -> (f64, f64) {
    let repeated = (1.0 - row.randomness).max(FEWEST_REPEATED);
    (-repeated.log10(), row.speed_up)
}

/// The label of a place on the horizontal axis: the randomness there.
fn randomness(place: f64) -> String {
    let decimals = place.ceil().max(1.0) as usize;
    format!("{:.decimals$}", 1.0 - 10f64.powf(-place))
}
