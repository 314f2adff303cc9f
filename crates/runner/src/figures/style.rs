//! The shared style of all figures: axes and heading.

use padwise_report::plots::canvas::FONT;
use padwise_report::plots::palette::{FAINT, INK};
use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;
use plotters::style::FontStyle;

/// Styles the axes of a chart: faint lines at the labels, none between them.
pub(super) fn house_style<'s, 'a, 'b, X: Ranged, Y: Ranged, B: DrawingBackend>(
    mesh: &'s mut MeshStyle<'a, 'b, X, Y, B>,
) -> &'s mut MeshStyle<'a, 'b, X, Y, B> {
    mesh.light_line_style(FAINT.mix(0.0))
        .bold_line_style(FAINT)
        .label_style((FONT, 13).into_font().color(&INK))
        .axis_desc_style((FONT, 14).into_font().color(&INK))
}

/// Draws a title and a subtitle; returns the area below.
pub(super) fn heading<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    title: &str,
    subtitle: &str,
) -> Result<DrawingArea<B, Shift>, DrawingAreaErrorKind<B::ErrorType>> {
    let title_style = (FONT, 22, FontStyle::Bold).into_font().color(&INK);
    let subtitle_style = (FONT, 14).into_font().color(&INK);
    area.draw_text(title, &title_style, (16, 12))?;
    area.draw_text(subtitle, &subtitle_style, (16, 42))?;
    let (_, below) = area.split_vertically(66);
    Ok(below)
}
