//! A palette that colour-blind readers can distinguish: Okabe and Ito, "Color universal design" (2008).

use plotters::style::RGBColor;

/// Blue.
pub const BLUE: RGBColor = RGBColor(0, 114, 178);
/// Vermillion.
pub const VERMILLION: RGBColor = RGBColor(213, 94, 0);
/// Bluish green.
pub const GREEN: RGBColor = RGBColor(0, 158, 115);
/// Orange.
pub const ORANGE: RGBColor = RGBColor(230, 159, 0);
/// Sky blue.
pub const SKY: RGBColor = RGBColor(86, 180, 233);
/// Reddish purple.
pub const PURPLE: RGBColor = RGBColor(204, 121, 167);
/// Yellow; too pale for lines on white.
pub const YELLOW: RGBColor = RGBColor(240, 228, 66);
/// Grey, instead of the palette's black, which would hide text on bars.
pub const GREY: RGBColor = RGBColor(130, 130, 130);
/// Text and axes.
pub const INK: RGBColor = RGBColor(40, 40, 40);
/// Grid lines.
pub const FAINT: RGBColor = RGBColor(225, 225, 225);
/// Padding in drawings of batches.
pub const PADDING: RGBColor = RGBColor(208, 208, 208);

const SEQUENCE: [RGBColor; 8] = [BLUE, ORANGE, GREEN, VERMILLION, SKY, PURPLE, YELLOW, GREY];

/// The n-th colour, starting again after the last.
pub fn nth(n: usize) -> RGBColor {
    SEQUENCE[n % SEQUENCE.len()]
}
