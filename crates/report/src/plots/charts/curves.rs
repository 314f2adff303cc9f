//! Lines with marks: error or loss by epoch or time. A line is the mean over seeds, the band around it is the range over seeds, and
//! a run that diverged or failed ends in a cross. First epochs that are much worse than later ones are cut at the upper edge.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::{around, labels};
use super::legend;
use super::series::{Series, WIDTH};
use crate::plots::canvas::{DrawResult, Drawing, Pen};

const CHART: u32 = 340;
/// At most about this many marks per line; more would hide it.
const MARKS: usize = 12;
/// One point in this many, at the start of a line, does not count for the height of the axis.
const FIRST: usize = 5;

/// One point of a line.
#[derive(Clone, Copy)]
pub(in crate::plots) struct Point {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
}

/// The line of one strategy.
pub(in crate::plots) struct Curve {
    pub series: Series,
    pub points: Vec<Point>,
    /// Whether a run diverged or failed.
    pub broken: bool,
}

/// Lines in one chart.
pub(in crate::plots) struct Curves {
    pub x_axis: String,
    pub y_axis: String,
    pub from_zero: bool,
    pub whole_numbers: bool,
    pub curves: Vec<Curve>,
}

impl Curves {
    pub(super) fn series(&self) -> Vec<&Series> {
        self.curves.iter().map(|curve| &curve.series).collect()
    }
}

impl Drawing for Curves {
    fn size(&self) -> (u32, u32) {
        (WIDTH, CHART + legend::height(&self.series()))
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, pen: Pen) -> DrawResult<B> {
        let (chart_area, below) = area.split_vertically(pen.px(CHART) as i32);
        self.draw_chart(&chart_area, pen, Ranges::of(self.curves.iter()))?;
        legend::draw(&below, &self.series(), pen)
    }
}

/// The ends of both axes.
#[derive(Clone, Copy)]
pub(super) struct Ranges {
    x: (f64, f64),
    y: (f64, f64),
}

impl Ranges {
    /// Around these lines. First epochs or a diverged run would flatten all lines. So the first fifth of a line does not count, and a
    /// diverged run only if there is no other.
    pub(super) fn of<'a>(curves: impl Iterator<Item = &'a Curve> + Clone) -> Self {
        let points = curves.clone().flat_map(|curve| &curve.points);
        let mut sound = curves.clone().filter(|curve| !curve.broken);
        let any_sound = sound.any(|curve| !curve.points.is_empty());
        let sound = curves.filter(move |curve| !any_sound || !curve.broken);
        let heights = sound.flat_map(|curve| &curve.points[curve.points.len() / FIRST..]);
        Ranges {
            x: around(points.map(|point| point.x)),
            y: around(heights.flat_map(|point| [point.low, point.y, point.high])),
        }
    }
}

impl Curves {
    /// Draws the lines with both axes, without a legend.
    pub(super) fn draw_chart<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        pen: Pen,
        ranges: Ranges,
    ) -> DrawResult<B> {
        let (mut left, right) = ranges.x;
        if self.from_zero {
            left = 0.0;
        }
        let (bottom, top) = ranges.y;
        let mut chart = pen
            .chart(area)
            .build_cartesian_2d(left..right, bottom..top)?;
        let x_label = |value: &f64| match self.whole_numbers && value.fract().abs() > 1e-9 {
            true => String::new(),
            false => labels(left, right)(value),
        };
        // No more labels than whole numbers: there is no half epoch.
        let most = if self.whole_numbers {
            right as usize + 1
        } else {
            7
        };
        pen.house_style(&mut chart.configure_mesh())
            .x_labels(most.min(7))
            .y_labels(6)
            .x_label_formatter(&x_label)
            .y_label_formatter(&labels(bottom, top))
            .x_desc(self.x_axis.as_str())
            .y_desc(self.y_axis.as_str())
            .draw()?;
        for curve in &self.curves {
            let colour = curve.series.colour;
            let of = |value: fn(&Point) -> f64| -> Vec<(f64, f64)> {
                let points = curve.points.iter().map(|point| (point.x, value(point)));
                points.collect()
            };
            if curve.points.iter().any(|point| point.high > point.low) {
                let (lower, upper) = (
                    cut(&of(|point| point.low), ranges.y),
                    of(|point| point.high),
                );
                let upper = cut(&upper, ranges.y).into_iter().rev();
                let band: Vec<(f64, f64)> = lower.into_iter().chain(upper).collect();
                chart.draw_series([Polygon::new(band, colour.mix(0.13))])?;
            }
            let line = of(|point| point.y);
            let within = cut(&line, ranges.y);
            // The part of a line along the edge shows that a run diverged. Otherwise it is left out.
            let on_edge = |&(_, y): &(f64, f64)| y >= top && !curve.broken;
            let parts = within.chunk_by(|from, to| !(on_edge(from) && on_edge(to)));
            let style = pen.line(colour, 2);
            chart.draw_series(parts.map(|part| PathElement::new(part.to_vec(), style)))?;
            let line: Vec<(f64, f64)> = line
                .into_iter()
                .filter(|&(_, y)| curve.broken || y <= top)
                .map(|(x, y)| (x, y.clamp(bottom, top)))
                .collect();
            let every = line.len().div_ceil(MARKS).max(1);
            let last = line.len().saturating_sub(1);
            for (index, &point) in line.iter().enumerate() {
                if index % every == 0 || index == last {
                    chart.draw_series([curve.series.shape.at(point, colour, pen)])?;
                }
            }
            if let (true, Some(&end)) = (curve.broken, line.last()) {
                let arm = pen.px(8) as i32;
                let style = pen.line(colour, 2);
                chart.draw_series([EmptyElement::at(end)
                    + PathElement::new([(-arm, -arm), (arm, arm)], style)
                    + PathElement::new([(-arm, arm), (arm, -arm)], style)])?;
            }
        }
        Ok(())
    }
}

/// A line whose parts outside of a range of heights run along its ends.
fn cut(line: &[(f64, f64)], (bottom, top): (f64, f64)) -> Vec<(f64, f64)> {
    let mut within = Vec::new();
    for (index, &(x, y)) in line.iter().enumerate() {
        if let Some(&(before_x, before_y)) = index.checked_sub(1).map(|before| &line[before]) {
            let crossing = |edge: f64| {
                let share = (edge - before_y) / (y - before_y);
                (share > 0.0 && share < 1.0).then_some((before_x + share * (x - before_x), edge))
            };
            // In the order in which the line crosses them.
            let edges = if y < before_y {
                [top, bottom]
            } else {
                [bottom, top]
            };
            within.extend(edges.into_iter().filter_map(crossing));
        }
        within.push((x, y.clamp(bottom, top)));
    }
    within
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_is_cut_where_it_crosses_the_edge() {
        let line = [(0.0, 5.0), (1.0, 3.0), (2.0, 1.0)];
        let expected = [(0.0, 2.0), (1.0, 2.0), (1.5, 2.0), (2.0, 1.0)];
        assert_eq!(cut(&line, (0.0, 2.0)), expected);
        assert_eq!(cut(&line, (0.0, 9.0)), line);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

        #[test]
        fn a_cut_line_stays_within_and_in_order(heights in prop::collection::vec(-3.0f64..3.0, 0..9)) {
            let line: Vec<(f64, f64)> = (0..).map(f64::from).zip(heights).collect();
            let within = cut(&line, (-1.0, 1.0));
            prop_assert!(within.iter().all(|&(_, y)| (-1.0..=1.0).contains(&y)));
            prop_assert!(within.windows(2).all(|pair| pair[0].0 <= pair[1].0));
            let kept = line.iter().filter(|(_, y)| y.abs() <= 1.0);
            prop_assert!(kept.into_iter().all(|point| within.contains(point)));
        }
    }
}
