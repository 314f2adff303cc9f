//! 32 documents in smart batches of 4, one panel per epoch (Anderson, 2020).
//!
//! Documents are sorted by length, in the same order in every panel. Bars with the same colour and letter are one batch.

use padwise_report::plots::canvas::{DrawResult, Drawing, FONT, Pen};
use padwise_sampler::{Batching, Order, PlanError, Strategy};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::style::{heading, house_style};
use super::{plan, sample, short_source};
use crate::lengths::Lengths;
use padwise_report::plots::palette::{INK, nth};

const DOCUMENTS: usize = 32;
const BATCH_SIZE: u32 = 4;
const EPOCHS: u64 = 4;

/// The batch of each document, epoch by epoch.
pub struct Epochs {
    /// In ascending order.
    lengths: Vec<u32>,
    /// The batch of each document, for each epoch.
    batch_of: Vec<Vec<usize>>,
    source: String,
}

impl Epochs {
    pub(super) fn new(lengths: &Lengths, seed: u64) -> Result<Self, PlanError> {
        let mut documents = sample(&lengths.frames, DOCUMENTS, seed)?;
        documents.sort_unstable();
        let batch_of = (0..EPOCHS)
            .map(|epoch| {
                let smart = Strategy::new(Order::Smart, Batching::Fixed { size: BATCH_SIZE });
                let plan = plan(smart, &documents, seed, epoch)?;
                let mut batch_of = vec![0; documents.len()];
                // Letters follow the shortest document of each batch, so they ascend with length.
                let mut batches: Vec<Vec<usize>> = plan
                    .batches()
                    .map(|b| b.items().map(|item| item.sequence).collect())
                    .collect();
                batches.sort_by_key(|batch| batch.iter().copied().min());
                for (letter, batch) in batches.iter().enumerate() {
                    batch
                        .iter()
                        .for_each(|&document| batch_of[document] = letter);
                }
                Ok(batch_of)
            })
            .collect::<Result<_, PlanError>>()?;
        Ok(Epochs {
            lengths: documents,
            batch_of,
            source: short_source(lengths),
        })
    }
}

impl Drawing for Epochs {
    fn size(&self) -> (u32, u32) {
        (1200, 860)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, _: Pen) -> DrawResult<B> {
        let subtitle = format!(
            "Bars are documents by length; the same letter and colour mean the same batch. Lengths: {}",
            self.source
        );
        let title = format!(
            "{} documents in smart batches of {BATCH_SIZE}",
            self.lengths.len()
        );
        let below = heading(area, &title, &subtitle)?;
        let longest = self.lengths.last().copied().unwrap_or(1);
        for (epoch, (panel, batch_of)) in below
            .split_evenly((2, 2))
            .iter()
            .zip(&self.batch_of)
            .enumerate()
        {
            let mut chart = ChartBuilder::on(panel)
                .caption(
                    format!("Epoch {}", epoch + 1),
                    (FONT, 16).into_font().color(&INK),
                )
                .margin(10)
                .margin_right(20)
                .x_label_area_size(14)
                .y_label_area_size(60)
                .build_cartesian_2d(
                    0.0..self.lengths.len() as f64,
                    0.0..f64::from(longest) * 1.1,
                )?;
            house_style(&mut chart.configure_mesh())
                .disable_x_mesh()
                .x_labels(0)
                .y_label_formatter(&|frames| format!("{frames:.0}"))
                .y_desc("frames")
                .draw()?;
            for (document, (&length, &batch)) in self.lengths.iter().zip(batch_of).enumerate() {
                let (x, y) = (document as f64, f64::from(length));
                let bar = Rectangle::new([(x + 0.08, 0.0), (x + 0.92, y)], nth(batch).filled());
                chart.draw_series([bar])?;
                let style = (FONT, 12)
                    .into_font()
                    .color(&INK)
                    .pos(Pos::new(HPos::Center, VPos::Bottom));
                let letter = char::from(b'A' + (batch % 26) as u8).to_string();
                chart.draw_series([Text::new(letter, (x + 0.5, y), style)])?;
            }
        }
        Ok(())
    }
}
