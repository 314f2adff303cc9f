//! Statistics of a corpus: histogram of utterance lengths, and frames per class.

use padwise_report::plots::canvas::{DrawResult, Drawing, FONT, Pen};
use plotters::coord::Shift;
use plotters::prelude::*;

use super::style::{heading, house_style};
use crate::corpora::Survey;
use padwise_report::plots::palette::{BLUE, GREEN, INK};

const BARS: u32 = 80;

pub(super) struct CorpusPicture<'a> {
    pub survey: &'a Survey,
    pub name: &'a str,
    pub hop_ms: Option<f64>,
}

impl Drawing for CorpusPicture<'_> {
    fn size(&self) -> (u32, u32) {
        (
            1200,
            if self.survey.class_frames.is_empty() {
                520
            } else {
                900
            },
        )
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, _: Pen) -> DrawResult<B> {
        let survey = self.survey;
        let hours = survey
            .hours
            .map(|h| format!(", {h:.2} hours"))
            .unwrap_or_default();
        let subtitle = format!(
            "{} utterances, {} frames, {} features per frame{hours}",
            survey.utterances, survey.frames, survey.dims
        );
        let below = heading(area, self.name, &subtitle)?;
        if survey.class_frames.is_empty() {
            return self.draw_lengths(&below);
        }
        let panels = below.split_evenly((2, 1));
        self.draw_lengths(&panels[0])?;
        self.draw_classes(&panels[1])
    }
}

impl CorpusPicture<'_> {
    fn draw_lengths<B: DrawingBackend>(&self, panel: &DrawingArea<B, Shift>) -> DrawResult<B> {
        // Seconds if the frame hop is known: they are easier to read than frames.
        let (unit, scale) = match self.hop_ms {
            Some(ms) => ("seconds", ms / 1000.0),
            None => ("frames", 1.0),
        };
        let longest = self.survey.length_quartiles[4].max(1);
        let width = longest.div_ceil(BARS).max(1);
        let mut bars = vec![0u64; (longest / width + 1) as usize];
        self.survey
            .lengths
            .iter()
            .for_each(|&n| bars[(n / width) as usize] += 1);
        let tallest = bars.iter().copied().max().unwrap_or(1).max(1);
        let right = f64::from(longest + width) * scale;
        let mut chart = ChartBuilder::on(panel)
            .caption("Utterance lengths", (FONT, 16).into_font().color(&INK))
            .margin(12)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(68)
            .build_cartesian_2d(0.0..right, 0.0..tallest as f64 * 1.08)?;
        house_style(&mut chart.configure_mesh())
            .disable_x_mesh()
            .y_label_formatter(&|count| format!("{count:.0}"))
            .x_desc(unit)
            .y_desc("utterances")
            .draw()?;
        chart.draw_series(bars.iter().enumerate().map(|(i, &count)| {
            let left = i as f64 * f64::from(width) * scale;
            let right = left + f64::from(width) * scale * 0.92;
            Rectangle::new([(left, 0.0), (right, count as f64)], BLUE.filled())
        }))?;
        Ok(())
    }

    fn draw_classes<B: DrawingBackend>(&self, panel: &DrawingArea<B, Shift>) -> DrawResult<B> {
        let classes = &self.survey.class_frames;
        let frames = self.survey.frames.max(1) as f64;
        let share = |n: u64| 100.0 * n as f64 / frames;
        // Names are legible for a few dozen classes. With more, most classes are rare and need a logarithmic axis.
        let shows_names = classes.len() <= 60;
        let height = |n: u64| {
            if shows_names {
                share(n)
            } else {
                share(n.max(1)).log10()
            }
        };
        let highest = classes.first().map_or(1.0, |&(_, n)| height(n));
        let (bottom, top) = if shows_names {
            (0.0, highest * 1.08)
        } else {
            let lowest = classes.last().map_or(0.0, |&(_, n)| height(n));
            (lowest.floor(), highest.ceil().max(lowest.floor() + 1.0))
        };
        let percent = |height: &f64| {
            if shows_names {
                format!("{height:.1}")
            } else {
                format!("{:.3}", 10f64.powf(*height))
            }
        };
        let name = |position: &f64| {
            let class = classes.get(position.floor() as usize);
            class.map_or(String::new(), |(name, _)| name.clone())
        };
        let mut chart = ChartBuilder::on(panel)
            .caption(
                format!("Frames per class ({} classes)", classes.len()),
                (FONT, 16).into_font().color(&INK),
            )
            .margin(12)
            .margin_right(24)
            .x_label_area_size(44)
            .y_label_area_size(68)
            .build_cartesian_2d(0.0..classes.len() as f64, bottom..top)?;
        house_style(&mut chart.configure_mesh())
            .disable_x_mesh()
            .x_labels(0)
            .y_labels(6)
            .y_label_formatter(&percent)
            .x_desc(if shows_names {
                ""
            } else {
                "classes, most frequent first"
            })
            .y_desc(if shows_names {
                "% of frames"
            } else {
                "% of frames (log scale)"
            })
            .draw()?;
        chart.draw_series(classes.iter().enumerate().map(|(i, &(_, n))| {
            let left = i as f64;
            Rectangle::new(
                [(left + 0.06, bottom), (left + 0.94, height(n))],
                GREEN.filled(),
            )
        }))?;
        if shows_names {
            use plotters::style::text_anchor::{HPos, Pos, VPos};
            let style = (FONT, 11)
                .into_font()
                .color(&INK)
                .pos(Pos::new(HPos::Center, VPos::Bottom));
            chart.draw_series(classes.iter().enumerate().map(|(i, &(_, n))| {
                let position = i as f64;
                Text::new(name(&position), (position + 0.5, height(n)), style.clone())
            }))?;
        }
        Ok(())
    }
}
