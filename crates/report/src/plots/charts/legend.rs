//! The legend below a chart, in one or two columns.

use padwise_sampler::excerpt::shortened;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::series::{Series, WIDTH};
use crate::plots::canvas::{DrawResult, Pen, TEXT};

const LINE: u32 = 24;
/// Characters that fit into the width of a chart, and into two columns together.
pub(in crate::plots) const LETTERS: usize = 46;
const LETTERS_OF_TWO_COLUMNS: usize = 42;
/// The least width of the first of two columns, and the width of a letter.
const COLUMN: u32 = WIDTH / 2 - 6;
const LETTER: u32 = 9;

/// The lines of the legend and the width of its first column: two columns if the longest names of both fit next to each other.
fn layout(series: &[&Series]) -> (usize, u32) {
    let lines = series.len().div_ceil(2);
    let (left, right) = series.split_at(lines);
    let longest = |column: &[&Series]| {
        let letters = column.iter().map(|series| series.name.chars().count());
        letters.max().unwrap_or(0)
    };
    let left = longest(left);
    match left + longest(right) <= LETTERS_OF_TWO_COLUMNS {
        true => (lines, COLUMN.max(LETTER * left as u32 + 35)),
        false => (series.len(), WIDTH),
    }
}

/// The height of the legend.
pub(in crate::plots) fn height(series: &[&Series]) -> u32 {
    let (lines, _) = layout(series);
    lines as u32 * LINE + 10
}

pub(in crate::plots) fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    series: &[&Series],
    pen: Pen,
) -> DrawResult<B> {
    let (lines, width) = layout(series);
    for (index, series) in series.iter().enumerate() {
        let (column, line) = (index / lines, index % lines);
        let x = pen.px(18 + column as u32 * width) as i32;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plots::charts::Shape;

    fn lines_and_width(names: &[&str]) -> (usize, u32) {
        let series = names.iter().map(|&name| Series {
            name: name.into(),
            colour: BLACK,
            shape: Shape::Circle,
        });
        let series: Vec<Series> = series.collect();
        layout(&series.iter().collect::<Vec<_>>())
    }

    #[test]
    fn two_columns_share_the_width() {
        let long = "semi-sorted, shuffled batches";
        assert_eq!(lines_and_width(&["random", "sorted", "smart"]), (2, COLUMN));
        let (lines, width) = lines_and_width(&["random", long, "smart", "chunks of 100"]);
        assert!(lines == 2 && width > COLUMN);
        assert_eq!(lines_and_width(&["random", long, "smart", long]).0, 4);
        assert_eq!(lines_and_width(&[]).0, 0);
    }
}
