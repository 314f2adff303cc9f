//! Charts of lines above each other, with the same axes and one legend.

use padwise_sampler::excerpt::shortened;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::curves::{Curves, Ranges};
use super::legend::{self, LETTERS};
use super::series::{Series, WIDTH};
use crate::plots::canvas::{DrawResult, Drawing, Pen, TEXT};

const PANEL: u32 = 280;
const TITLE: u32 = 26;

/// Charts with their titles. The same name has the same colour in all of them.
pub(in crate::plots) struct CurvePanels {
    pub panels: Vec<(String, Curves)>,
}

impl CurvePanels {
    /// Every series once.
    fn series(&self) -> Vec<&Series> {
        let mut distinct: Vec<&Series> = Vec::new();
        for series in self.panels.iter().flat_map(|(_, curves)| curves.series()) {
            if distinct.iter().all(|known| known.name != series.name) {
                distinct.push(series);
            }
        }
        distinct
    }
}

impl Drawing for CurvePanels {
    fn size(&self) -> (u32, u32) {
        let panels = (PANEL + TITLE) * self.panels.len() as u32;
        (WIDTH, panels + legend::height(&self.series()))
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, pen: Pen) -> DrawResult<B> {
        let curves = self.panels.iter().flat_map(|(_, panel)| &panel.curves);
        let ranges = Ranges::of(curves);
        let mut rest = area.clone();
        for (title, curves) in &self.panels {
            let (above, below) = rest.split_vertically(pen.px(TITLE) as i32);
            let (chart, below) = below.split_vertically(pen.px(PANEL) as i32);
            let style = pen.anchored(TEXT, HPos::Left, VPos::Top);
            let at = (pen.px(74) as i32, pen.px(8) as i32);
            above.draw_text(&shortened(title, LETTERS), &style, at)?;
            curves.draw_chart(&chart, pen, ranges)?;
            rest = below;
        }
        legend::draw(&rest, &self.series(), pen)
    }
}
