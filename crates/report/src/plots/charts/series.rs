//! A strategy in a chart.

use plotters::style::RGBColor;

use super::marks::Shape;

/// The width of every chart: narrow enough to stay readable on a phone.
pub(super) const WIDTH: u32 = 480;

/// A strategy in a chart: its name, colour and mark.
#[derive(Clone)]
pub(in crate::plots) struct Series {
    pub name: String,
    pub colour: RGBColor,
    pub shape: Shape,
}
