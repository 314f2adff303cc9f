//! Horizontal bars. Each has the strategy's name above it, the number at the right, the interval as a whisker, and marks for the
//! prediction and the paper's value.

use padwise_sampler::excerpt::shortened;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{labels, rounded_up};
use super::legend::LETTERS;
use super::marks::{Direction, Shape};
use super::series::WIDTH;
use crate::plots::canvas::{DrawResult, Drawing, Pen, TEXT};
use crate::plots::palette::INK;

const ROW: u32 = 50;
const AXIS: u32 = 56;
/// Additional marks at a bar, with their text in the legend.
const MARKS: [(Shape, &str); 2] = [
    (Shape::Diamond, "predicted from padding"),
    (Shape::Down, "paper"),
];

/// One bar.
pub(in crate::plots) struct Bar {
    pub name: String,
    pub colour: RGBColor,
    pub value: Option<f64>,
    /// The ends of the confidence interval.
    pub range: Option<(f64, f64)>,
    /// The text at the right.
    pub text: String,
    /// The prediction and the paper's value.
    pub marks: [Option<f64>; 2],
}

/// Bars of one metric.
pub(in crate::plots) struct Bars {
    pub axis: String,
    pub bars: Vec<Bar>,
}

impl Bars {
    /// The range of the axis. With few seeds, whiskers can be much longer than the bars; they are then cut.
    fn range(&self) -> (f64, f64) {
        let shown = || {
            let bars = self.bars.iter();
            bars.flat_map(|bar| bar.marks.into_iter().chain([bar.value]).flatten())
        };
        let highest = shown().fold(0.0, f64::max);
        let lowest = shown().fold(0.0, f64::min);
        let spread = highest - lowest;
        let whiskers = || self.bars.iter().filter_map(|bar| bar.range);
        let high = whiskers().fold(highest, |high, (_, end)| high.max(end));
        let low = whiskers().fold(lowest, |low, (end, _)| low.min(end));
        let high = high.min(highest + 0.3 * spread);
        let low = if lowest < 0.0 {
            low.max(lowest - 0.3 * spread)
        } else {
            0.0
        };
        match high > low {
            true => (-rounded_up(-low), rounded_up(high)),
            false => (0.0, 1.0),
        }
    }

    fn has_marks(&self) -> bool {
        let mut bars = self.bars.iter();
        bars.any(|bar| bar.marks.iter().any(Option::is_some))
    }
}

impl Drawing for Bars {
    fn size(&self) -> (u32, u32) {
        let legend = if self.has_marks() { 26 } else { 0 };
        let height = self.bars.len().max(1) as u32 * ROW + AXIS + legend;
        (WIDTH, height)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, pen: Pen) -> DrawResult<B> {
        let (low, high) = self.range();
        let area = if self.has_marks() {
            let (top, below) = area.split_vertically(pen.px(26) as i32);
            self.draw_legend(&top, pen)?;
            below
        } else {
            area.clone()
        };
        let rows = self.bars.len().max(1) as f64;
        let mut chart = ChartBuilder::on(&area)
            .margin_left(pen.px(22))
            .margin_right(pen.px(22))
            .x_label_area_size(pen.px(AXIS - 2))
            .build_cartesian_2d(low..high, rows..0.0)?;
        pen.house_style(&mut chart.configure_mesh())
            .disable_y_mesh()
            .disable_y_axis()
            .x_labels(6)
            .x_label_formatter(&labels(low, high))
            .x_desc(self.axis.as_str())
            .draw()?;
        for (index, bar) in self.bars.iter().enumerate() {
            let top = index as f64;
            let beside = bar.text.chars().count() + 2;
            let shown = shortened(&bar.name, LETTERS.saturating_sub(beside));
            let name = pen.anchored(TEXT, HPos::Left, VPos::Bottom);
            let number = pen.anchored(TEXT, HPos::Right, VPos::Bottom);
            chart.draw_series([
                Text::new(shown, (low, top + 0.44), name),
                Text::new(bar.text.clone(), (high, top + 0.44), number),
            ])?;
            if let Some(value) = bar.value {
                let corners = [(0f64.max(low), top + 0.5), (value, top + 0.86)];
                chart.draw_series([Rectangle::new(corners, bar.colour.filled())])?;
            }
            if let Some((from, to)) = bar.range {
                let middle = top + 0.68;
                let across = [from, to].map(|end| (end.clamp(low, high), middle));
                let is_shown = |end: &f64| (low..=high).contains(end);
                let caps = [from, to].into_iter().filter(is_shown);
                let caps = caps.map(|end| [(end, middle - 0.09), (end, middle + 0.09)]);
                let style = pen.line(INK, 1);
                let whisker = std::iter::once(across).chain(caps);
                chart.draw_series(whisker.map(|line| PathElement::new(line, style)))?;
                let cut = [(from, low, Direction::Left), (to, high, Direction::Right)];
                let arrows = cut.into_iter().filter(|(end, ..)| !is_shown(end));
                let arrows = arrows.map(|(_, edge, to)| to.arrow((edge, middle), INK, pen));
                chart.draw_series(arrows)?;
            }
            for (value, (shape, _)) in bar.marks.iter().zip(MARKS) {
                let at = value.map(|value| (value.clamp(low, high), top + 0.68));
                chart.draw_series(at.map(|at| shape.at(at, INK, pen)))?;
            }
        }
        Ok(())
    }
}

impl Bars {
    fn draw_legend<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        pen: Pen,
    ) -> DrawResult<B> {
        let y = pen.px(12) as i32;
        let mut x = pen.px(20) as i32;
        for (index, (shape, text)) in MARKS.into_iter().enumerate() {
            if self.bars.iter().all(|bar| bar.marks[index].is_none()) {
                continue;
            }
            area.draw(&shape.at((x, y), INK, pen))?;
            let style = pen.anchored(TEXT, HPos::Left, VPos::Center);
            area.draw_text(text, &style, (x + pen.px(12) as i32, y))?;
            x += pen.px(210) as i32;
        }
        Ok(())
    }
}
