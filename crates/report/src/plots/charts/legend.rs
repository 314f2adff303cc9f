//! The legend below a chart, in one or two columns.

use padwise_sampler::excerpt::shortened;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::series::{Series, WIDTH};
use crate::plots::canvas::{DrawResult, Pen, TEXT};

const LINE: u32 = 24;
/// Characters that fit into the width of a chart, and into half of it.
pub(in crate::plots) const LETTERS: usize = 46;
const HALF_THE_LETTERS: usize = 21;

/// Two columns if every name fits into half the width.
fn columns(series: &[&Series]) -> usize {
    let mut names = series.iter().map(|series| series.name.chars().count());
    if names.all(|letters| letters <= HALF_THE_LETTERS) {
        2
    } else {
        1
    }
}

/// The height of the legend.
pub(in crate::plots) fn height(series: &[&Series]) -> u32 {
    series.len().div_ceil(columns(series)) as u32 * LINE + 10
}

pub(in crate::plots) fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    series: &[&Series],
    pen: Pen,
) -> DrawResult<B> {
    let lines = series.len().div_ceil(columns(series)).max(1);
    for (index, series) in series.iter().enumerate() {
        let (column, line) = (index / lines, index % lines);
        let x = pen.px(18 + column as u32 * (WIDTH / 2 - 6)) as i32;
        let y = pen.px(10 + line as u32 * LINE) as i32;
        let colour = series.colour;
        let half = pen.px(11) as i32;
        let ends = [(x - half, y), (x + half, y)];
        area.draw(&PathElement::new(ends, pen.line(colour, 2)))?;
        area.draw(&series.shape.at((x, y), colour, pen))?;
        let style = pen.anchored(TEXT, HPos::Left, VPos::Center);
        let name = shortened(&series.name, LETTERS);
        area.draw_text(&name, &style, (x + pen.px(17) as i32, y))?;
    }
    Ok(())
}
