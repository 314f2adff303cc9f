//! Speed or time against error or loss. A dashed line is the Pareto front of speed, whose best corner is the lower right.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::{around, labels};
use super::legend;
use super::marks::Direction;
use super::series::{Series, WIDTH};
use crate::plots::canvas::{DrawResult, Drawing, Pen};
use crate::plots::palette::{FAINT, GREY};

const CHART: u32 = 340;

/// One strategy.
pub(in crate::plots) struct Dot {
    pub series: Series,
    pub at: (f64, f64),
    /// The ends of the horizontal and of the vertical confidence interval.
    pub intervals: [Option<(f64, f64)>; 2],
    pub on_front: bool,
}

/// All strategies with both values.
pub(in crate::plots) struct Scatter {
    pub x_axis: String,
    pub y_axis: String,
    pub dots: Vec<Dot>,
    /// The baseline that vertical intervals compare with.
    pub level: Option<Level>,
}

/// The baseline's value on the vertical axis.
pub(in crate::plots) struct Level {
    pub at: f64,
    /// Differences below this do not matter.
    pub margin: Option<f64>,
}

impl Scatter {
    fn series(&self) -> Vec<&Series> {
        self.dots.iter().map(|dot| &dot.series).collect()
    }
}

impl Drawing for Scatter {
    fn size(&self) -> (u32, u32) {
        (WIDTH, CHART + legend::height(&self.series()))
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, pen: Pen) -> DrawResult<B> {
        let (chart_area, below) = area.split_vertically(pen.px(CHART) as i32);
        let (left, right) = room(self.dots.iter().map(|dot| (dot.at.0, dot.intervals[0])));
        let (bottom, top) = room(self.dots.iter().map(|dot| (dot.at.1, dot.intervals[1])));
        let mut chart = pen
            .chart(&chart_area)
            .build_cartesian_2d(left..right, bottom..top)?;
        if let Some(Level { at, margin }) = self.level {
            let margin = margin.unwrap_or(0.0);
            let corners = [
                (left, (at - margin).max(bottom)),
                (right, (at + margin).min(top)),
            ];
            chart.draw_series([Rectangle::new(corners, FAINT.mix(0.5).filled())])?;
        }
        pen.house_style(&mut chart.configure_mesh())
            .x_labels(6)
            .y_labels(6)
            .x_label_formatter(&labels(left, right))
            .y_label_formatter(&labels(bottom, top))
            .x_desc(self.x_axis.as_str())
            .y_desc(self.y_axis.as_str())
            .draw()?;
        let mut front: Vec<(f64, f64)> = self
            .dots
            .iter()
            .filter(|dot| dot.on_front)
            .map(|dot| dot.at)
            .collect();
        front.sort_by(|a, b| a.0.total_cmp(&b.0));
        // In steps: every strategy above or to the left of the line is beaten.
        let mut steps: Vec<(f64, f64)> = Vec::new();
        let mut reached = left;
        for &(x, y) in &front {
            steps.extend([(reached, y), (x, y)]);
            reached = x;
        }
        steps.extend(front.last().map(|&(x, _)| (x, top)));
        // Dashed, to look different from an interval.
        let (dash, gap) = (pen.px(5), pen.px(4));
        let level = self.level.iter();
        let level = level.flat_map(|level| [(left, level.at), (right, level.at)]);
        for line in [steps, level.collect()] {
            chart.draw_series(DashedLineSeries::new(line, dash, gap, pen.line(GREY, 1)))?;
        }
        for dot in &self.dots {
            let ((x, y), colour) = (dot.at, dot.series.colour);
            let style = pen.line(colour, 1);
            let [across, down] = dot.intervals;
            let across = across.map(|ends| Whisker::of(ends, left, right));
            let down = down.map(|ends| Whisker::of(ends, bottom, top));
            let at = |value, is_across| if is_across { (value, y) } else { (x, value) };
            for (whisker, is_across) in [(across, true), (down, false)] {
                let Some(whisker) = whisker else { continue };
                let line = [whisker.low, whisker.high].map(|end| at(end, is_across));
                chart.draw_series([PathElement::new(line, style)])?;
                let (back, forth) = match is_across {
                    true => (Direction::Left, Direction::Right),
                    false => (Direction::Down, Direction::Up),
                };
                let cut = [
                    (whisker.low, whisker.low_is_cut, back),
                    (whisker.high, whisker.high_is_cut, forth),
                ];
                let arrows = cut.into_iter().filter(|(_, is_cut, _)| *is_cut);
                let arrows = arrows.map(|(end, _, to)| to.arrow(at(end, is_across), colour, pen));
                chart.draw_series(arrows)?;
            }
        }
        // Dots last, so that no whisker hides one.
        for dot in &self.dots {
            let series = &dot.series;
            chart.draw_series([series.shape.at(dot.at, series.colour, pen)])?;
        }
        legend::draw(&below, &self.series(), pen)
    }
}

/// The part of an interval that fits into the plot.
struct Whisker {
    low: f64,
    high: f64,
    low_is_cut: bool,
    high_is_cut: bool,
}

impl Whisker {
    fn of((low, high): (f64, f64), from: f64, to: f64) -> Self {
        Whisker {
            low: low.max(from),
            high: high.min(to),
            low_is_cut: low < from,
            high_is_cut: high > to,
        }
    }
}

/// The range of an axis: all dots, and their intervals as long as these leave the dots a third of it. Longer intervals are cut,
/// because those of two seeds can be very wide.
fn room(dots: impl Iterator<Item = (f64, Option<(f64, f64)>)> + Clone) -> (f64, f64) {
    let (low, high) = around(dots.clone().map(|(at, _)| at));
    let spread = high - low;
    let ends = dots.filter_map(|(_, interval)| interval);
    let (lowest, highest) = ends.fold((low, high), |(lowest, highest), (from, to)| {
        (lowest.min(from), highest.max(to))
    });
    let least = 0.08 * spread;
    let [most_low, most_high] = [low - spread, high + spread];
    let [low, high] = [lowest.min(low - least), highest.max(high + least)];
    // A whisker that fits must not touch the edge, or it looks cut.
    let margin = 0.03 * (high.min(most_high) - low.max(most_low));
    let [low, high] = [low - margin, high + margin];
    (low.max(most_low), high.min(most_high))
}
