//! The length of each utterance by its position in the epoch (Doetsch, Golik and Ney, 2017, figure 1).
//!
//! 1,000 utterances in random order, sorted, in buckets 250 frames wide, and alternated in 12 bins.

use padwise_report::plots::canvas::{DrawResult, Drawing, FONT, Pen};
use padwise_sampler::{Batching, Buckets, Order, PlanError, Strategy};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::style::{heading, house_style};
use super::{plan, sample, short_source};
use crate::lengths::Lengths;
use padwise_report::plots::palette::{BLUE, INK};

const UTTERANCES: usize = 1000;

/// Four orders of the same utterances.
pub struct Positions {
    panels: Vec<(&'static str, Vec<u32>)>,
    source: String,
}

impl Positions {
    pub(super) fn new(lengths: &Lengths, seed: u64) -> Result<Self, PlanError> {
        let sampled = sample(&lengths.frames, UTTERANCES, seed)?;
        let orders = [
            ("Random", Order::Random),
            ("Sorted", Order::Sorted),
            ("Bucketing, width 250", Order::Bucketed(Buckets::Width(250))),
            (
                "Alternated sorting, 12 bins",
                Order::Alternated { bins: 12 },
            ),
        ];
        let panels = orders
            .into_iter()
            .map(|(title, order)| {
                let strategy = Strategy::new(order, Batching::Fixed { size: 16 });
                let plan = plan(strategy, &sampled, seed, 0)?;
                let drawn = plan.batches().flat_map(|b| b.lengths().to_vec()).collect();
                Ok((title, drawn))
            })
            .collect::<Result<_, PlanError>>()?;
        Ok(Positions {
            panels,
            source: short_source(lengths),
        })
    }
}

impl Drawing for Positions {
    fn size(&self) -> (u32, u32) {
        (1200, 860)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, _: Pen) -> DrawResult<B> {
        let utterances = self.panels.first().map_or(0, |(_, lengths)| lengths.len());
        let subtitle = format!("{utterances} utterances. Lengths: {}", self.source);
        let below = heading(area, "Utterance length by position in the epoch", &subtitle)?;
        let longest = self
            .panels
            .iter()
            .flat_map(|(_, l)| l)
            .copied()
            .max()
            .unwrap_or(1);
        for (panel, (title, lengths)) in below.split_evenly((2, 2)).iter().zip(&self.panels) {
            let mut chart = ChartBuilder::on(panel)
                .caption(*title, (FONT, 18).into_font().color(&INK))
                .margin(12)
                .margin_right(28)
                .x_label_area_size(42)
                .y_label_area_size(62)
                .build_cartesian_2d(0..lengths.len().max(1), 0..longest + longest / 20)?;
            house_style(&mut chart.configure_mesh())
                .disable_x_mesh()
                .x_desc("position")
                .y_desc("length (frames)")
                .draw()?;
            chart.draw_series(lengths.iter().enumerate().map(|(position, &length)| {
                Circle::new((position, length), 2, BLUE.mix(0.75).filled())
            }))?;
        }
        Ok(())
    }
}
