//! Zero padding rate by strategy parameter, and batch lengths at the chosen parameter (Ge et al., 2021, figure 2).
//!
//! Parameters are chosen as in the paper: LRF 0.1 for semi-sorted batching, and for the other two the largest value that pads no more.
//! Bucket sizes are the batch size times powers of two.

use indicatif::ProgressBar;
use padwise_report::plots::canvas::{DrawResult, Drawing, FONT, Pen};
use padwise_sampler::{Batching, Buckets, Order, PlanError, Strategy};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::style::{heading, house_style};
use super::{plan, short_source};
use crate::lengths::Lengths;
use padwise_report::plots::palette::{BLUE, GREEN, INK, VERMILLION};

const BATCH_SIZE: u32 = 16;
const LRF: f64 = 0.1;
/// Number of seeds that each point of a curve is averaged over.
const SEEDS: u64 = 3;

/// The panels of one strategy.
struct Column {
    strategy: &'static str,
    parameter: &'static str,
    is_logarithmic: bool,
    curve: Vec<(f64, f64)>,
    chosen: (f64, f64),
    chosen_text: String,
    batch_lengths: Vec<u32>,
    abl: f64,
    colour: RGBColor,
}

/// One curve per strategy, with the chosen parameter.
pub struct Parameters {
    columns: Vec<Column>,
    source: String,
}

impl Parameters {
    pub(super) fn new(
        lengths: &Lengths,
        seed: u64,
        progress: &ProgressBar,
    ) -> Result<Self, PlanError> {
        let frames = &lengths.frames;
        let n = frames.len() as u32;
        let whole = n.next_multiple_of(BATCH_SIZE).max(BATCH_SIZE);
        // Points of the three curves, steps of the bisection, and the chosen points.
        let points = 21 + 25 + 2 * (u32::BITS - n.leading_zeros()) + 4;
        progress.inc_length(points.into());
        let counted = progress.position();
        let zpr = |order: Order| {
            progress.inc(1);
            zpr_percent(order, frames, seed)
        };

        let lrf_curve = (0..=20)
            .map(|step| f64::from(step) * 0.05)
            .map(|lrf| Ok((lrf, zpr(Order::SemiSorted { lrf })?)))
            .collect::<Result<Vec<_>, PlanError>>()?;
        let target = zpr(Order::SemiSorted { lrf: LRF })?;

        let bucket = |count: u32| Order::Bucketed(Buckets::Count(count));
        let sizes: Vec<u32> = std::iter::successors(Some(BATCH_SIZE), |size| size.checked_mul(2))
            .take_while(|&size| size < whole)
            .chain([whole])
            .collect();
        let bucket_curve = sizes
            .iter()
            .map(|&count| Ok((f64::from(count), zpr(bucket(count))?)))
            .collect::<Result<Vec<_>, PlanError>>()?;
        let chosen_bucket = bucket_curve
            .iter()
            .rev()
            .find(|&&(_, zpr)| zpr <= target)
            .map_or(BATCH_SIZE, |&(count, _)| count as u32);

        let bins = |bins: u32| Order::Alternated { bins };
        let most_bins = n.div_ceil(BATCH_SIZE).max(1);
        let mut bins_curve = Vec::new();
        for step in 0..=24 {
            let count = f64::from(most_bins).powf(f64::from(step) / 24.0).round();
            if bins_curve.last().is_none_or(|&(last, _)| last < count) {
                bins_curve.push((count, zpr(bins(count as u32))?));
            }
        }
        // Padding grows with the number of bins, so bisect.
        let (mut fits, mut exceeds) = (1, most_bins + 1);
        while exceeds - fits > 1 {
            let middle = fits + (exceeds - fits) / 2;
            if zpr(bins(middle))? <= target {
                fits = middle;
            } else {
                exceeds = middle;
            }
        }

        let column = |strategy_name,
                      parameter,
                      is_logarithmic,
                      curve,
                      chosen: (f64, String),
                      order: Order,
                      colour| {
            let made = plan(strategy(order.clone()), frames, seed, 0)?;
            Ok::<_, PlanError>(Column {
                strategy: strategy_name,
                parameter,
                is_logarithmic,
                curve,
                chosen: (chosen.0, zpr(order)?),
                chosen_text: chosen.1,
                batch_lengths: made.batches().map(|b| b.padded_length()).collect(),
                abl: made.stats().abl.unwrap_or_default(),
                colour,
            })
        };
        let columns = vec![
            column(
                "semi-sorted",
                "LRF",
                false,
                lrf_curve,
                (LRF, format!("LRF {LRF}")),
                Order::SemiSorted { lrf: LRF },
                BLUE,
            )?,
            column(
                "bucket",
                "utterances per bucket",
                true,
                bucket_curve,
                (
                    f64::from(chosen_bucket),
                    format!("{chosen_bucket} utterances"),
                ),
                bucket(chosen_bucket),
                VERMILLION,
            )?,
            column(
                "alternated",
                "bins",
                true,
                bins_curve,
                (f64::from(fits), format!("{fits} bins")),
                bins(fits),
                GREEN,
            )?,
        ];
        // The number of points was an estimate.
        progress.set_position(counted + u64::from(points));
        Ok(Parameters {
            columns,
            source: short_source(lengths),
        })
    }
}

fn strategy(order: Order) -> Strategy {
    Strategy::new(order, Batching::Fixed { size: BATCH_SIZE })
}

fn zpr_percent(order: Order, frames: &[u32], seed: u64) -> Result<f64, PlanError> {
    let mut sum = 0.0;
    for seed in (0..SEEDS).map(|i| seed.wrapping_add(i)) {
        let stats = plan(strategy(order.clone()), frames, seed, 0)?.stats();
        // These strategies drop nothing, so there is a batch.
        sum += 100.0 * stats.zpr.unwrap_or_default();
    }
    Ok(sum / SEEDS as f64)
}

impl Drawing for Parameters {
    fn size(&self) -> (u32, u32) {
        (1320, 820)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, _: Pen) -> DrawResult<B> {
        let subtitle = format!(
            "Batches of {BATCH_SIZE}. Upper row: zero padding rate by parameter. Lower row: padded length of each batch, \
             in plan order, at the parameter marked above. Lengths: {}",
            self.source
        );
        let title = "Padding by parameter of three strategies";
        let below = heading(area, title, &subtitle)?;
        let panels = below.split_evenly((2, 3));
        let top = self
            .columns
            .iter()
            .flat_map(|c| c.curve.iter().map(|&(_, zpr)| zpr))
            .fold(1.0, f64::max);
        for (i, column) in self.columns.iter().enumerate() {
            column.draw_curve(&panels[i], top * 1.08)?;
            column.draw_batches(&panels[i + 3])?;
        }
        Ok(())
    }
}

impl Column {
    fn draw_curve<B: DrawingBackend>(
        &self,
        panel: &DrawingArea<B, Shift>,
        top: f64,
    ) -> DrawResult<B> {
        // A logarithmic axis plots log2 of the value and labels the value itself.
        let x = |value: f64| {
            if self.is_logarithmic {
                value.log2()
            } else {
                value
            }
        };
        let (first, last) = match (self.curve.first(), self.curve.last()) {
            (Some(&(first, _)), Some(&(last, _))) => (x(first), x(last)),
            _ => (0.0, 1.0),
        };
        let caption = format!(
            "{}: ZPR {:.2} % at {}",
            self.strategy, self.chosen.1, self.chosen_text
        );
        let label = |value: &f64| {
            if self.is_logarithmic {
                format!("{:.0}", value.exp2())
            } else {
                format!("{value:.1}")
            }
        };
        let mut chart = ChartBuilder::on(panel)
            .caption(caption, (FONT, 15).into_font().color(&INK))
            .margin(10)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(52)
            .build_cartesian_2d(first..last.max(first + 1e-9), 0.0..top)?;
        house_style(&mut chart.configure_mesh())
            .x_labels(7)
            .x_label_formatter(&label)
            .y_label_formatter(&|zpr| format!("{zpr:.0}"))
            .x_desc(self.parameter)
            .y_desc("ZPR (%)")
            .draw()?;
        let points: Vec<(f64, f64)> = self.curve.iter().map(|&(v, zpr)| (x(v), zpr)).collect();
        chart.draw_series(LineSeries::new(
            points.iter().copied(),
            self.colour.stroke_width(2),
        ))?;
        chart.draw_series(
            points
                .iter()
                .map(|&p| Circle::new(p, 3, self.colour.filled())),
        )?;
        let chosen = (x(self.chosen.0), self.chosen.1);
        chart.draw_series([Circle::new(chosen, 7, INK.stroke_width(2))])?;
        Ok(())
    }

    fn draw_batches<B: DrawingBackend>(&self, panel: &DrawingArea<B, Shift>) -> DrawResult<B> {
        let longest = self.batch_lengths.iter().copied().max().unwrap_or(1);
        let batches = self.batch_lengths.len().max(1);
        let mut chart = ChartBuilder::on(panel)
            .caption(
                format!("{batches} batches, ABL {:.1} frames", self.abl),
                (FONT, 15).into_font().color(&INK),
            )
            .margin(10)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(52)
            .build_cartesian_2d(0.0..batches as f64, 0.0..f64::from(longest) * 1.08)?;
        house_style(&mut chart.configure_mesh())
            .disable_x_mesh()
            .x_label_formatter(&|batch| format!("{batch:.0}"))
            .y_label_formatter(&|frames| format!("{frames:.0}"))
            .x_desc("batch")
            .y_desc("padded length")
            .draw()?;
        chart.draw_series(self.batch_lengths.iter().enumerate().map(|(i, &length)| {
            Circle::new(
                (i as f64, f64::from(length)),
                2,
                self.colour.mix(0.7).filled(),
            )
        }))?;
        let average = [(0.0, self.abl), (batches as f64, self.abl)];
        chart.draw_series([PathElement::new(average, INK.stroke_width(1))])?;
        Ok(())
    }
}
