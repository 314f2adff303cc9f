//! One drawing, two files: SVG for the page and PNG for everywhere else.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use padwise_report::plots::use_built_in_font;
use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;
use plotters::style::FontStyle;

use super::Drawing;
use super::palette::{FAINT, INK};

pub(super) type DrawResult<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

pub(super) const FONT: &str = "sans-serif";

pub(super) fn draw(drawing: &impl Drawing, stem: &Path) -> anyhow::Result<Vec<PathBuf>> {
    use_built_in_font()?;
    if let Some(folder) = stem.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let (svg, png) = (stem.with_extension("svg"), stem.with_extension("png"));
    let mut text = String::new();
    render(drawing, SVGBackend::with_string(&mut text, drawing.size()))?;
    std::fs::write(&svg, text).with_context(|| format!("cannot write {}", svg.display()))?;
    render(drawing, BitMapBackend::new(&png, drawing.size()))
        .with_context(|| format!("cannot write {}", png.display()))?;
    Ok(vec![svg, png])
}

fn render<B: DrawingBackend>(drawing: &impl Drawing, backend: B) -> anyhow::Result<()> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE)
        .and_then(|()| drawing.draw(&area))
        .and_then(|()| area.present())
        .map_err(|error| anyhow!("{error}"))
}

/// Axes as all our charts have them: faint lines at the labels, none between, and text in one size.
pub(super) fn house_style<'s, 'a, 'b, X: Ranged, Y: Ranged, B: DrawingBackend>(
    mesh: &'s mut MeshStyle<'a, 'b, X, Y, B>,
) -> &'s mut MeshStyle<'a, 'b, X, Y, B> {
    mesh.light_line_style(FAINT.mix(0.0))
        .bold_line_style(FAINT)
        .label_style((FONT, 13).into_font().color(&INK))
        .axis_desc_style((FONT, 14).into_font().color(&INK))
}

/// A title over the whole figure and a line of smaller print under it; gives what is left below.
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
