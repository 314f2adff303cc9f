//! Small interval plots inside table cells: a zero line, a dot at the estimate, whiskers for the 95 % interval.
//!
//! All rows of a table share one scale. An interval that would squeeze the others is cut at the edge and ends in an arrow.

use std::fmt::Write;

use crate::statistics::Change;
use crate::text::signed;

/// The width of a plot in its own units; the page scales it.
const WIDTH: f64 = 160.0;
const HEIGHT: f64 = 20.0;
const AXIS_HEIGHT: f64 = 18.0;
const MIDDLE: f64 = HEIGHT / 2.0;
/// Room for dots and arrows at both edges.
const MARGIN: f64 = 8.0;

/// The common scale of a column of interval plots.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntervalScale {
    low: f64,
    high: f64,
}

impl IntervalScale {
    /// A scale that shows zero, every estimate, and intervals as far as these leave the estimates a third of the width.
    pub(super) fn of(changes: &[Change]) -> Option<Self> {
        let finite = || changes.iter().filter(|change| change.estimate.is_finite());
        finite().next()?;
        let estimates = || finite().map(|change| change.estimate);
        let (low, high) = (
            estimates().fold(0.0, f64::min),
            estimates().fold(0.0, f64::max),
        );
        let tested = || finite().filter_map(|change| change.tested);
        let lowest = tested().map(|tested| tested.low).fold(low, f64::min);
        let highest = tested().map(|tested| tested.high).fold(high, f64::max);
        let spread = match high - low {
            spread if spread > 0.0 => spread,
            _ => (highest - lowest).max(1e-9),
        };
        // Some room on both sides of zero, so that the zero line is never the edge.
        let least = 0.12 * spread;
        Some(IntervalScale {
            low: lowest.max(low - spread).min(-least),
            high: highest.min(high + spread).max(least),
        })
    }

    fn x(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        MARGIN + share.clamp(0.0, 1.0) * (WIDTH - 2.0 * MARGIN)
    }

    fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The plot of one change, described for those who cannot see it.
    pub(super) fn plot(&self, change: Change, description: &str) -> String {
        let mut svg = format!(
            "<svg class=\"interval\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\"><title>{}</title>",
            super::svg::escaped(description)
        );
        let zero = self.x(0.0);
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<path class=\"zero\" d=\"M{zero:.1} 0V{HEIGHT}\"/><path class=\"whisker\" d=\""
        );
        if let Some(tested) = change.tested {
            let (from, to) = (self.x(tested.low), self.x(tested.high));
            let _ = write!(svg, "M{from:.1} {MIDDLE}H{to:.1}");
            for (value, x, outwards) in [(tested.low, from, -1.0), (tested.high, to, 1.0)] {
                let _ = match self.contains(value) {
                    true => write!(svg, "M{x:.1} {:.1}v8", MIDDLE - 4.0),
                    false => {
                        let tip = x + outwards * 5.0;
                        let (top, bottom) = (MIDDLE - 4.0, MIDDLE + 4.0);
                        write!(svg, "M{x:.1} {top}L{tip:.1} {MIDDLE}L{x:.1} {bottom}")
                    }
                };
            }
        }
        let at = self.x(change.estimate);
        let _ = write!(
            svg,
            "\"/><circle class=\"dot\" cx=\"{at:.1}\" cy=\"{MIDDLE}\" r=\"4\"/></svg>"
        );
        svg
    }

    /// The zero line alone, for the baseline.
    pub(super) fn zero(&self) -> String {
        format!(
            "<svg class=\"interval\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" aria-hidden=\"true\"><path class=\"zero\" d=\"M{:.1} 0V{HEIGHT}\"/></svg>",
            self.x(0.0)
        )
    }

    /// The labelled axis for the head of the column.
    pub(super) fn axis(&self) -> String {
        let mut svg = format!(
            "<svg class=\"interval axis\" viewBox=\"0 0 {WIDTH} {AXIS_HEIGHT}\" aria-hidden=\"true\">"
        );
        for (tick, label) in self.ticks() {
            let x = self.x(tick);
            // A label near an edge would be cut if it were centred.
            let half = 3.5 * label.chars().count() as f64;
            let at = x.clamp(half, WIDTH - half);
            let _ = write!(
                svg,
                "<text x=\"{at:.1}\" y=\"11\" text-anchor=\"middle\">{label}</text><path class=\"tick\" d=\"M{x:.1} 14V{AXIS_HEIGHT}\"/>"
            );
        }
        svg + "</svg>"
    }

    /// Zero, and a round number on each side where it fits.
    fn ticks(&self) -> Vec<(f64, String)> {
        let span = self.high - self.low;
        let power = 10f64.powf((span / 2.0).log10().floor());
        let steps = [5.0, 2.0, 1.0, 0.5, 0.2, 0.1].map(|step| step * power);
        let room = 34.0 / (WIDTH - 2.0 * MARGIN) * span;
        let on_side = |end: f64| {
            let fits = |step: &&f64| **step <= 0.9 * end && **step >= room;
            steps.iter().find(fits).copied()
        };
        let decimals = |step: f64| (-step.log10().floor()).max(0.0) as usize;
        let sides = [on_side(-self.low).map(|step| -step), on_side(self.high)];
        let labelled = sides.into_iter().flatten();
        let labelled = labelled.map(|tick| (tick, signed(tick, decimals(tick.abs()))));
        std::iter::once((0.0, "0".to_owned()))
            .chain(labelled)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Test, Tested};

    fn change(low: f64, estimate: f64, high: f64) -> Change {
        let test = Test::Paired;
        let p = 0.5;
        let tested = Some(Tested {
            test,
            low,
            high,
            p,
            detectable: None,
        });
        Change { estimate, tested }
    }

    #[test]
    fn scales_show_zero_and_all_estimates() {
        let changes = [change(1.0, 2.0, 3.0), change(-400.0, 4.0, 408.0)];
        let scale = IntervalScale::of(&changes).expect("changes");
        for shown in [0.0, 2.0, 4.0] {
            assert!(scale.contains(shown));
        }
        assert!(!scale.contains(408.0), "one interval hides the others");
        let wide = scale.plot(changes[1], "wide");
        assert!(wide.contains('L'), "a cut whisker ends in an arrow: {wide}");
        assert!(!scale.plot(changes[0], "narrow").contains('L'));
        assert!(IntervalScale::of(&[]).is_none());
    }

    #[test]
    fn axes_have_round_labels_inside_the_plot() {
        let labels = |changes: &[Change]| {
            let scale = IntervalScale::of(changes).expect("changes");
            scale
                .ticks()
                .into_iter()
                .map(|(_, label)| label)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            labels(&[change(-3.0, -2.0, -1.0), change(1.0, 3.0, 5.0)]),
            ["0", "−2", "+2"]
        );
        assert_eq!(labels(&[change(0.01, 0.05, 0.09)]), ["0", "+0.05"]);
    }
}
