//! Marks of data points: filled shapes of one size.

use std::iter::{Once, once};

use plotters::element::{Drawable, PointCollection};
use plotters::style::RGBColor;
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};

use crate::plots::canvas::Pen;

/// The shape of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A polygon with sixteen corners.
    Circle,
    /// A square.
    Square,
    /// A triangle on its base.
    Up,
    /// A square on one corner.
    Diamond,
    /// A triangle on its tip.
    Down,
    /// A plus sign.
    Cross,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Shape; 6] = [
        Shape::Circle,
        Shape::Square,
        Shape::Up,
        Shape::Diamond,
        Shape::Down,
        Shape::Cross,
    ];

    /// The n-th shape, starting again after the last.
    pub fn nth(n: usize) -> Self {
        Self::ALL[n % Self::ALL.len()]
    }

    /// The corners around the centre, for a mark about two units wide.
    pub(crate) fn corners(self) -> Vec<(f64, f64)> {
        match self {
            Shape::Circle => (0..16)
                .map(|corner| {
                    let angle = f64::from(corner) * std::f64::consts::TAU / 16.0;
                    (angle.cos(), angle.sin())
                })
                .collect(),
            Shape::Square => vec![(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Shape::Up => vec![(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            Shape::Diamond => vec![(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
            Shape::Down => vec![(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
            Shape::Cross => {
                let (arm, waist) = (1.2, 0.4);
                let quarter = [(-waist, -arm), (waist, -arm), (waist, -waist)];
                let turns = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)];
                turns
                    .iter()
                    .flat_map(|(cos, sin)| {
                        quarter.map(|(x, y)| (x * cos - y * sin, x * sin + y * cos))
                    })
                    .collect()
            }
        }
    }

    /// A mark at a point of a chart or at a pixel.
    pub(in crate::plots) fn at<C>(self, point: C, colour: RGBColor, pen: Pen) -> Mark<C> {
        let corners = self.corners().into_iter();
        Mark {
            point,
            radius: (self == Shape::Circle).then(|| pen.px(5)),
            corners: corners
                .map(|(x, y)| (pen.offset(4.5 * x), pen.offset(4.5 * y)))
                .collect(),
            colour,
        }
    }
}

/// Where an interval continues beyond the edge of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plots) enum Direction {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Upwards.
    Up,
    /// Downwards.
    Down,
}

impl Direction {
    /// An arrow head whose tip is at a point.
    pub(in crate::plots) fn arrow<C>(self, tip: C, colour: RGBColor, pen: Pen) -> Mark<C> {
        let (across, down) = match self {
            Direction::Left => (-1.0, 0.0),
            Direction::Right => (1.0, 0.0),
            Direction::Up => (0.0, -1.0),
            Direction::Down => (0.0, 1.0),
        };
        let corner = |back: f64, aside: f64| {
            let (x, y) = (-back * across - aside * down, -back * down + aside * across);
            (pen.offset(x), pen.offset(y))
        };
        Mark {
            point: tip,
            radius: None,
            corners: vec![corner(0.0, 0.0), corner(7.0, 4.0), corner(7.0, -4.0)],
            colour,
        }
    }
}

/// A filled shape with a fixed size in pixels, at a point in any coordinates.
pub(in crate::plots) struct Mark<C> {
    point: C,
    corners: Vec<BackendCoord>,
    /// The radius of a circle; none for other shapes.
    radius: Option<u32>,
    colour: RGBColor,
}

impl<'a, C> PointCollection<'a, C> for &'a Mark<C> {
    type Point = &'a C;
    type IntoIter = Once<&'a C>;

    fn point_iter(self) -> Self::IntoIter {
        once(&self.point)
    }
}

impl<C, B: DrawingBackend> Drawable<B> for Mark<C> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        points: I,
        backend: &mut B,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        for (x, y) in points {
            if let Some(radius) = self.radius {
                backend.draw_circle((x, y), radius, &self.colour, true)?;
                continue;
            }
            let corners = self.corners.iter();
            let placed = corners.map(|(right, down)| (x + right, y + down));
            backend.fill_polygon(placed, &self.colour)?;
        }
        Ok(())
    }
}
