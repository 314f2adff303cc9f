//! A metric against a strategy's parameter, with one panel per parameter that was varied: padding against bins, LRF or chunk size,
//! epoch time against the number of buckets. Parameter values are evenly spaced.

use padwise_sampler::{Buckets, Items, Order, Strategy};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{label, labels, rounded_up};
use super::series::{Series, WIDTH};
use crate::plots::canvas::{DrawResult, Drawing, Pen};
use crate::plots::palette::GREY;

const PANEL: u32 = 250;

/// The name and value of a strategy's parameter.
pub(in crate::plots) fn parameter(strategy: &Strategy) -> Option<(&'static str, f64)> {
    if let Items::Chunks(chunks) = strategy.items {
        return Some(("chunk size in frames", chunks.size.into()));
    }
    match strategy.order {
        Order::Alternated { bins } => Some(("alternated: number of bins", bins.into())),
        Order::SemiSorted { lrf } => Some(("semi-sorted: LRF", lrf)),
        Order::Bucketed(Buckets::Width(width)) => Some(("bucket width in frames", width.into())),
        Order::Bucketed(Buckets::Count(count)) => Some(("utterances per bucket", count.into())),
        Order::Bucketed(Buckets::Optimal(buckets)) => Some((NUMBER_OF_BUCKETS, buckets.into())),
        _ => None,
    }
}

/// The number of buckets of the optimal bucketing.
pub(in crate::plots) const NUMBER_OF_BUCKETS: &str = "number of optimal buckets";

/// One parameter.
pub(in crate::plots) struct Panel {
    pub parameter: &'static str,
    /// Series, parameter value and metric of each strategy.
    pub points: Vec<(Series, f64, f64)>,
}

/// All parameters that were run with several values.
pub(in crate::plots) struct Parameters {
    pub measure: String,
    pub panels: Vec<Panel>,
}

impl Parameters {
    /// From the metric of each strategy; none if no parameter has two values.
    pub(in crate::plots) fn new(
        measure: &str,
        strategies: Vec<(&Strategy, Series, f64)>,
        only: Option<&str>,
    ) -> Option<Self> {
        let mut panels: Vec<Panel> = Vec::new();
        for (strategy, series, value) in strategies {
            let Some((parameter, at)) = parameter(strategy) else {
                continue;
            };
            if only.is_some_and(|only| only != parameter) {
                continue;
            }
            let known = panels.iter_mut().find(|panel| panel.parameter == parameter);
            match known {
                Some(panel) => panel.points.push((series, at, value)),
                None => panels.push(Panel {
                    parameter,
                    points: vec![(series, at, value)],
                }),
            }
        }
        for panel in &mut panels {
            panel.points.sort_by(|a, b| a.1.total_cmp(&b.1));
        }
        panels.retain(|panel| panel.values().len() > 1);
        (!panels.is_empty()).then(|| Parameters {
            measure: measure.into(),
            panels,
        })
    }
}

impl Panel {
    /// The distinct values of the parameter, in order.
    fn values(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self.points.iter().map(|point| point.1).collect();
        values.dedup();
        values
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        measure: &str,
        pen: Pen,
    ) -> DrawResult<B> {
        let values = self.values();
        let place = |value: f64| {
            let at = values.iter().position(|other| *other == value);
            at.unwrap_or(0) as f64
        };
        let highest = self.points.iter().map(|point| point.2).fold(0.0, f64::max);
        let top = rounded_up(highest * 1.12).max(1e-9);
        let mut builder = pen.chart(area);
        let mut chart = builder
            // Half of the highest label is above the axis.
            .margin_top(pen.px(14))
            .build_cartesian_2d(-0.5..values.len() as f64 - 0.5, 0.0..top)?;
        let name = |at: &f64| {
            let whole = at.fract().abs() < 1e-9 && *at >= 0.0;
            let value = values.get(at.round() as usize).filter(|_| whole);
            value.map(f64::to_string).unwrap_or_default()
        };
        pen.house_style(&mut chart.configure_mesh())
            .disable_x_mesh()
            .x_labels(values.len() + 1)
            .y_labels(5)
            .x_label_formatter(&name)
            .y_label_formatter(&labels(0.0, top))
            .x_desc(self.parameter)
            .y_desc(measure)
            .draw()?;
        let line: Vec<(f64, f64)> = self
            .points
            .iter()
            .map(|(_, parameter, value)| (place(*parameter), *value))
            .collect();
        chart.draw_series([PathElement::new(line.clone(), pen.line(GREY, 1))])?;
        for ((series, _, value), &point) in self.points.iter().zip(&line) {
            let colour = series.colour;
            chart.draw_series([series.shape.at(point, colour, pen)])?;
            let style = pen.anchored(15, HPos::Center, VPos::Bottom);
            let above = (point.0, point.1 + top * 0.04);
            chart.draw_series([Text::new(label(value), above, style)])?;
        }
        Ok(())
    }
}

impl Drawing for Parameters {
    fn size(&self) -> (u32, u32) {
        (WIDTH, PANEL * self.panels.len() as u32)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, pen: Pen) -> DrawResult<B> {
        let areas = area.split_evenly((self.panels.len(), 1));
        for (panel, area) in self.panels.iter().zip(&areas) {
            panel.draw(area, &self.measure, pen)?;
        }
        Ok(())
    }
}
