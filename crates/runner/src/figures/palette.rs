//! Colours that colour-blind readers can tell apart: those of Okabe and Ito, "Color universal design" (2008).

use plotters::style::RGBColor;

pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(super) const VERMILLION: RGBColor = RGBColor(213, 94, 0);
pub(super) const GREEN: RGBColor = RGBColor(0, 158, 115);
pub(super) const ORANGE: RGBColor = RGBColor(230, 159, 0);
pub(super) const SKY: RGBColor = RGBColor(86, 180, 233);
pub(super) const PURPLE: RGBColor = RGBColor(204, 121, 167);
pub(super) const YELLOW: RGBColor = RGBColor(240, 228, 66);
/// Stands in for the palette's black, which would hide the letters of bars.
pub(super) const GREY: RGBColor = RGBColor(130, 130, 130);
pub(super) const INK: RGBColor = RGBColor(40, 40, 40);
pub(super) const FAINT: RGBColor = RGBColor(225, 225, 225);
pub(super) const PADDING: RGBColor = RGBColor(208, 208, 208);

const IN_TURN: [RGBColor; 8] = [BLUE, ORANGE, GREEN, VERMILLION, SKY, PURPLE, YELLOW, GREY];

/// The colour of the n-th of several things side by side.
pub(super) fn nth(n: usize) -> RGBColor {
    IN_TURN[n % IN_TURN.len()]
}
