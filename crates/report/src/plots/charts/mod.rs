//! The kinds of charts.

mod axis;
mod bars;
mod curves;
mod legend;
mod marks;
mod panels;
mod parameter;
mod scatter;
mod series;

pub(super) use bars::{Bar, Bars};
pub(super) use curves::{Curve, Curves, Point};
pub use marks::Shape;
pub(super) use panels::CurvePanels;
pub(super) use parameter::{NUMBER_OF_BUCKETS, Parameters};
pub(super) use scatter::{Dot, Level, Scatter};
pub(super) use series::Series;
