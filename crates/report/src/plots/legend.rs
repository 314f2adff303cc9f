//! Whose mark is whose: a list below a chart, in two columns, as high as it needs to be.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::Series;
use super::canvas::{DrawResult, Pen, WIDTH};

const LINE: u32 = 22;
/// As many letters as half the width has room for.
const LETTERS: usize = 29;

/// How high the list of so many is.
pub(super) fn height(count: usize) -> u32 {
    count.div_ceil(2) as u32 * LINE + 10
}

pub(super) fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    series: &[&Series],
    pen: Pen,
) -> DrawResult<B> {
    let lines = series.len().div_ceil(2);
    for (index, series) in series.iter().enumerate() {
        let (column, line) = (index / lines, index % lines);
        let x = pen.px(18 + column as u32 * (WIDTH / 2 - 8)) as i32;
        let y = pen.px(10 + line as u32 * LINE) as i32;
        let colour = series.look.light;
        let half = pen.px(11) as i32;
        let ends = [(x - half, y), (x + half, y)];
        area.draw(&PathElement::new(ends, pen.line(colour, 2)))?;
        area.draw(&series.look.shape.at((x, y), colour, pen))?;
        let style = pen.anchored(14, HPos::Left, VPos::Center);
        area.draw_text(&shortened(&series.name), &style, (x + pen.px(17) as i32, y))?;
    }
    Ok(())
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= LETTERS {
        return name.to_owned();
    }
    let kept: String = name.chars().take(LETTERS - 1).collect();
    format!("{}…", kept.trim_end())
}
