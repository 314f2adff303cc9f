//! Histogram of lengths with the boundaries of six optimal buckets (Khomenko et al., 2016, figure 2).

use padwise_report::plots::canvas::{DrawResult, Drawing, FONT, Pen};
use padwise_sampler::optimal_boundaries;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::short_source;
use super::style::{heading, house_style};
use crate::lengths::Lengths;
use padwise_report::plots::palette::{SKY, VERMILLION};

const BUCKETS: u32 = 6;
const BARS: u32 = 100;

/// The count of each length, and the upper boundaries of the buckets.
pub struct Histogram {
    counts: Vec<(u32, u64)>,
    boundaries: Vec<u32>,
    source: String,
}

impl Histogram {
    pub(super) fn new(lengths: &Lengths) -> Self {
        let mut sorted = lengths.frames.clone();
        sorted.sort_unstable();
        let counts: Vec<(u32, u64)> = sorted
            .chunk_by(|a, b| a == b)
            .map(|run| (run[0], run.len() as u64))
            .collect();
        Histogram {
            boundaries: optimal_boundaries(&counts, BUCKETS),
            counts,
            source: short_source(lengths),
        }
    }

    /// The padding ratio if every utterance is padded to the smallest boundary that it fits in.
    fn padding(&self, boundaries: &[u32]) -> f64 {
        let (mut valid, mut padded) = (0, 0);
        for &(length, count) in &self.counts {
            let bucket = boundaries.iter().find(|&&b| b >= length);
            valid += u64::from(length) * count;
            padded += u64::from(*bucket.unwrap_or(&length)) * count;
        }
        1.0 - valid as f64 / padded.max(1) as f64
    }
}

impl Drawing for Histogram {
    fn size(&self) -> (u32, u32) {
        (1200, 640)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, _: Pen) -> DrawResult<B> {
        let longest = self.boundaries.last().copied().unwrap_or(1);
        let subtitle = format!(
            "Padding every utterance to its bucket's width: {:.1} % padding; to the longest utterance: {:.1} %. Lengths: {}",
            100.0 * self.padding(&self.boundaries),
            100.0 * self.padding(&[longest]),
            self.source
        );
        let title = format!("Lengths and {} optimal buckets", self.boundaries.len());
        let below = heading(area, &title, &subtitle)?;

        let width = longest.div_ceil(BARS).max(1);
        let mut bars = vec![0u64; (longest / width + 1) as usize];
        for &(length, count) in &self.counts {
            bars[(length / width) as usize] += count;
        }
        let tallest = bars.iter().copied().max().unwrap_or(1);
        let top = tallest as f64 * 1.18;
        let mut chart = ChartBuilder::on(&below)
            .margin(14)
            .margin_right(24)
            .x_label_area_size(46)
            .y_label_area_size(68)
            .build_cartesian_2d(0.0..f64::from(longest) * 1.02, 0.0..top)?;
        house_style(&mut chart.configure_mesh())
            .disable_x_mesh()
            .x_label_formatter(&|frames| format!("{frames:.0}"))
            .y_label_formatter(&|count| format!("{count:.0}"))
            .x_desc("length (frames)")
            .y_desc(format!("utterances per {width} frames"))
            .draw()?;
        chart.draw_series(bars.iter().enumerate().map(|(i, &count)| {
            let left = i as f64 * f64::from(width);
            let right = left + f64::from(width) * 0.92;
            Rectangle::new([(left, 0.0), (right, count as f64)], SKY.filled())
        }))?;
        for (i, &boundary) in self.boundaries.iter().enumerate() {
            let x = f64::from(boundary);
            let line = PathElement::new([(x, 0.0), (x, top * 0.93)], VERMILLION.stroke_width(2));
            chart.draw_series([line])?;
            // Labels alternate between two heights, so those of close boundaries stay legible.
            let y = top * if i % 2 == 0 { 0.98 } else { 0.945 };
            let style = (FONT, 14)
                .into_font()
                .color(&VERMILLION)
                .pos(Pos::new(HPos::Center, VPos::Center));
            chart.draw_series([Text::new(boundary.to_string(), (x, y), style)])?;
        }
        Ok(())
    }
}
