//! The same 48 utterances in random, sorted and semi-sorted batches, with their padding (Ge et al., 2021, figures 1 and 3).
//!
//! Figure 1 has batches of 8, figure 3 batches of dynamic size.

use padwise_report::plots::canvas::{DrawResult, Drawing, FONT, Pen};
use padwise_sampler::{Batching, Order, Plan, PlanError, Strategy};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::style::{heading, house_style};
use super::{plan, sample, short_source};
use crate::lengths::Lengths;
use padwise_report::plots::palette::{BLUE, INK, ORANGE, PADDING};

const SAMPLES: usize = 48;
const BATCH_SIZE: u32 = 8;
const LRF: f64 = 0.15;

/// Three plans of the same utterances.
pub struct Bars {
    title: &'static str,
    panels: Vec<(&'static str, Plan)>,
    source: String,
}

impl Bars {
    pub(super) fn fixed(lengths: &Lengths, seed: u64) -> Result<Self, PlanError> {
        let batching = Batching::Fixed { size: BATCH_SIZE };
        let title = "The same utterances in batches of 8";
        Bars::new(lengths, seed, batching, title)
    }

    pub(super) fn dynamic(lengths: &Lengths, seed: u64) -> Result<Self, PlanError> {
        let batching = Batching::Dynamic {
            base: BATCH_SIZE,
            max_items: None,
        };
        let title = "The same utterances in batches of dynamic size, base 8, cap not exceeded";
        Bars::new(lengths, seed, batching, title)
    }

    fn new(
        lengths: &Lengths,
        seed: u64,
        batching: Batching,
        title: &'static str,
    ) -> Result<Self, PlanError> {
        let sampled = sample(&lengths.frames, SAMPLES, seed)?;
        let orders = [
            ("(a) random", Order::Random),
            ("(b) sorted", Order::Sorted),
            ("(c) semi-sorted, LRF 0.15", Order::SemiSorted { lrf: LRF }),
        ];
        let panels = orders
            .into_iter()
            .map(|(title, order)| {
                let strategy = Strategy::new(order, batching.clone());
                Ok((title, plan(strategy, &sampled, seed, 0)?))
            })
            .collect::<Result<_, PlanError>>()?;
        Ok(Bars {
            title,
            panels,
            source: short_source(lengths),
        })
    }
}

impl Drawing for Bars {
    fn size(&self) -> (u32, u32) {
        (1200, 900)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, _: Pen) -> DrawResult<B> {
        let subtitle = format!(
            "Bars are utterances in order, light ends are padding, the colour alternates by batch. Lengths: {}",
            self.source
        );
        let below = heading(area, self.title, &subtitle)?;
        for (panel, (title, plan)) in below.split_evenly((3, 1)).iter().zip(&self.panels) {
            draw_panel(panel, title, plan)?;
        }
        Ok(())
    }
}

fn draw_panel<B: DrawingBackend>(
    panel: &DrawingArea<B, Shift>,
    title: &str,
    plan: &Plan,
) -> DrawResult<B> {
    let stats = plan.stats();
    let caption = format!(
        "{title}: {} batches, ZPR {:.1} %, ABL {:.0} frames",
        stats.batches,
        100.0 * stats.zpr.unwrap_or_default(),
        stats.abl.unwrap_or_default()
    );
    let samples: usize = plan.batches().map(|b| b.len()).sum();
    let longest = plan.batches().map(|b| b.padded_length()).max().unwrap_or(1);
    let top = f64::from(longest) * 1.16;
    let mut chart = ChartBuilder::on(panel)
        .caption(caption, (FONT, 16).into_font().color(&INK))
        .margin(8)
        .margin_right(20)
        .x_label_area_size(14)
        .y_label_area_size(62)
        .build_cartesian_2d(0.0..samples.max(1) as f64, 0.0..top)?;
    house_style(&mut chart.configure_mesh())
        .disable_x_mesh()
        .x_labels(0)
        .y_labels(5)
        .y_label_formatter(&|frames| format!("{frames:.0}"))
        .y_desc("frames")
        .draw()?;
    let mut position = 0.0;
    for batch in plan.batches() {
        let colour = if batch.index() % 2 == 0 { BLUE } else { ORANGE };
        let padded = f64::from(batch.padded_length());
        let start = position;
        for &length in batch.lengths() {
            let (left, right) = (position + 0.08, position + 0.92);
            let length = f64::from(length);
            let bars = [
                Rectangle::new([(left, length), (right, padded)], PADDING.filled()),
                Rectangle::new([(left, 0.0), (right, length)], colour.filled()),
            ];
            chart.draw_series(bars)?;
            position += 1.0;
        }
        let label = format!("{} × {}", batch.len(), batch.padded_length());
        let style = (FONT, 12)
            .into_font()
            .color(&INK)
            .pos(Pos::new(HPos::Center, VPos::Bottom));
        let middle = ((start + position) / 2.0, padded + top * 0.015);
        chart.draw_series([Text::new(label, middle, style)])?;
    }
    Ok(())
}
