//! Batches as bars: each sample with the padding that its batch adds.
//!
//! Figures 1 and 3 of Ge et al. (2021) show 48 samples in random, sorted and semi-sorted batches, of 8 samples or of
//! dynamic size. The documentation shows every strategy in the same way.

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

/// Plans of the same samples, one panel each.
pub struct Bars {
    title: String,
    subtitle: String,
    panels: Vec<(String, Plan)>,
    /// Rows and columns of panels.
    grid: (usize, usize),
    size: (u32, u32),
}

impl Bars {
    pub(super) fn fixed(lengths: &Lengths, seed: u64) -> Result<Self, PlanError> {
        let batching = Batching::Fixed { size: BATCH_SIZE };
        Bars::three_orders(lengths, seed, batching, "The same samples in batches of 8")
    }

    pub(super) fn dynamic(lengths: &Lengths, seed: u64) -> Result<Self, PlanError> {
        let batching = Batching::Dynamic {
            base: BATCH_SIZE,
            max_items: None,
        };
        let title = "The same samples in batches of dynamic size (base 8, never over the cap)";
        Bars::three_orders(lengths, seed, batching, title)
    }

    fn three_orders(
        lengths: &Lengths,
        seed: u64,
        batching: Batching,
        title: &str,
    ) -> Result<Self, PlanError> {
        let strategies = [
            ("(a) random", Order::Random),
            ("(b) sorted", Order::Sorted),
            ("(c) semi-sorted, LRF 0.15", Order::SemiSorted { lrf: LRF }),
        ];
        let strategies =
            strategies.map(|(name, order)| (name, Strategy::new(order, batching.clone())));
        let bars = Bars::new(lengths, seed, title, &strategies)?;
        Ok(Bars {
            grid: (3, 1),
            size: (1200, 900),
            ..bars
        })
    }

    /// Padding at a glance: random, semi-sorted and sorted batches next to each other.
    pub(super) fn overview(lengths: &Lengths, seed: u64) -> Result<Self, PlanError> {
        let batching = Batching::Fixed { size: BATCH_SIZE };
        let strategies = [
            ("random", Order::Random),
            ("semi-sorted", Order::SemiSorted { lrf: 0.1 }),
            ("sorted", Order::Sorted),
        ];
        let strategies =
            strategies.map(|(name, order)| (name, Strategy::new(order, batching.clone())));
        let title = "Padding of the same 48 utterances in batches of 8";
        let bars = Bars::new(lengths, seed, title, &strategies)?;
        Ok(Bars {
            grid: (1, 3),
            size: (1500, 400),
            ..bars
        })
    }

    /// One strategy.
    pub(super) fn one(
        lengths: &Lengths,
        seed: u64,
        name: &str,
        strategy: Strategy,
    ) -> Result<Self, PlanError> {
        Bars::new(lengths, seed, name, &[("", strategy)])
    }

    fn new(
        lengths: &Lengths,
        seed: u64,
        title: &str,
        strategies: &[(&str, Strategy)],
    ) -> Result<Self, PlanError> {
        let sampled = sample(&lengths.frames, SAMPLES, seed)?;
        let panels = strategies
            .iter()
            .map(|(name, strategy)| {
                Ok((
                    (*name).to_string(),
                    plan(strategy.clone(), &sampled, seed, 0)?,
                ))
            })
            .collect::<Result<_, PlanError>>()?;
        Ok(Bars {
            title: title.to_string(),
            subtitle: format!(
                "One bar per utterance in training order; grey is padding; the colour changes with the batch. Lengths: {}",
                short_source(lengths)
            ),
            panels,
            grid: (1, 1),
            size: (1200, 330),
        })
    }
}

impl Drawing for Bars {
    fn size(&self) -> (u32, u32) {
        self.size
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, _: Pen) -> DrawResult<B> {
        let below = heading(area, &self.title, &self.subtitle)?;
        // Batch sizes and lengths are legible above the bars of wide panels only.
        let shows_shapes = self.grid.1 == 1;
        for (panel, (title, plan)) in below.split_evenly(self.grid).iter().zip(&self.panels) {
            draw_panel(panel, title, plan, shows_shapes)?;
        }
        Ok(())
    }
}

fn draw_panel<B: DrawingBackend>(
    panel: &DrawingArea<B, Shift>,
    title: &str,
    plan: &Plan,
    shows_shapes: bool,
) -> DrawResult<B> {
    let stats = plan.stats();
    let name = if title.is_empty() {
        String::new()
    } else {
        format!("{title}: ")
    };
    let zpr = 100.0 * stats.zpr.unwrap_or_default();
    let caption = if shows_shapes {
        let abl = stats.abl.unwrap_or_default();
        let batches = stats.batches;
        format!("{name}{batches} batches, ZPR {zpr:.1} %, ABL {abl:.0} frames")
    } else {
        let padding = 100.0 * stats.pooled_padding.unwrap_or_default();
        format!("{name}{padding:.0} % padding")
    };
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
    let mut labels = Vec::new();
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
        // One bar is too narrow for a label.
        if !shows_shapes || batch.len() == 1 {
            continue;
        }
        let label = format!("{} × {}", batch.len(), batch.padded_length());
        let style = (FONT, 12)
            .into_font()
            .color(&INK)
            .pos(Pos::new(HPos::Center, VPos::Bottom));
        let middle = ((start + position) / 2.0, padded + top * 0.015);
        labels.push(Text::new(label, middle, style));
    }
    chart.draw_series(labels)?;
    Ok(())
}
