//! A strategy in a chart.

use plotters::style::RGBColor;

use super::marks::Shape;

/// The width of every chart: that of a column of text, so that it can still be read when a phone shows it whole.
pub(super) const WIDTH: u32 = 480;

/// A strategy in a chart: its name, its colour, and the shape of its marks.
#[derive(Clone)]
pub(in crate::plots) struct Series {
    pub name: String,
    pub colour: RGBColor,
    pub shape: Shape,
}
