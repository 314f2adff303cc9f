//! Draws a picture twice: as SVG for the page and as PNG for documents.

use std::sync::OnceLock;

use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, register_font};
use thiserror::Error;

use super::palette::{FAINT, INK};

/// Why a plot cannot be drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The built-in font is unreadable.
    #[error("cannot read the built-in font: this build is damaged, rebuild padwise")]
    Font,
    /// Drawing failed.
    #[error("cannot draw a plot: {0}")]
    Draw(String),
}

/// The result of drawing on a backend.
pub type DrawResult<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// The font of all text.
pub const FONT: &str = "sans-serif";

/// The text size, readable on a phone, which shows a picture at three quarters of its size.
pub(super) const TEXT: u32 = 16;

/// Something to draw, with its own size.
pub trait Drawing {
    /// Its width and height in SVG pixels.
    fn size(&self) -> (u32, u32);
    /// Draws it at the pen's scale.
    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>, pen: Pen) -> DrawResult<B>;
}

/// A finished drawing.
#[derive(Clone, Debug)]
pub struct Picture {
    /// As SVG.
    pub svg: String,
    /// As PNG.
    pub png: Vec<u8>,
}

/// The scale of a drawing: a PNG may be larger than the SVG.
#[derive(Clone, Copy, Debug)]
pub struct Pen {
    unit: u32,
}

impl Pen {
    pub(super) fn px(self, pixels: u32) -> u32 {
        pixels * self.unit
    }

    pub(super) fn offset(self, pixels: f64) -> i32 {
        (pixels * f64::from(self.unit)).round() as i32
    }

    pub(super) fn text(self, size: u32) -> TextStyle<'static> {
        (FONT, self.px(size)).into_font().color(&INK)
    }

    pub(super) fn anchored(self, size: u32, across: HPos, down: VPos) -> TextStyle<'static> {
        self.text(size).pos(Pos::new(across, down))
    }

    pub(super) fn line(self, colour: RGBColor, width: u32) -> ShapeStyle {
        colour.stroke_width(self.px(width))
    }

    /// A chart with room for the titles and labels of both axes.
    pub(super) fn chart<'a, 'b, B: DrawingBackend>(
        self,
        area: &'a DrawingArea<B, Shift>,
    ) -> ChartBuilder<'a, 'b, B> {
        let mut chart = ChartBuilder::on(area);
        chart
            .margin(self.px(8))
            .margin_right(self.px(18))
            .x_label_area_size(self.px(48))
            .y_label_area_size(self.px(66));
        chart
    }

    /// The style of all axes: faint grid lines at the labels, none between, one text size.
    pub(super) fn house_style<'s, 'a, 'b, X: Ranged, Y: Ranged, B: DrawingBackend>(
        self,
        mesh: &'s mut MeshStyle<'a, 'b, X, Y, B>,
    ) -> &'s mut MeshStyle<'a, 'b, X, Y, B> {
        mesh.light_line_style(FAINT.mix(0.0))
            .bold_line_style(FAINT)
            .axis_style(INK)
            .label_style(self.text(TEXT))
            .axis_desc_style(self.text(TEXT))
    }
}

/// Draws an SVG, and a PNG that is `png_scale` times as large.
pub fn draw(drawing: &impl Drawing, png_scale: u32) -> Result<Picture, PlotError> {
    use_built_in_font()?;
    let mut svg = String::new();
    let (width, height) = drawing.size();
    let backend = SVGBackend::with_string(&mut svg, (width, height));
    render(drawing, backend, 1)?;
    let (width, height) = (png_scale * width, png_scale * height);
    let mut pixels = vec![0; (width * height * 3) as usize];
    let bitmap = BitMapBackend::with_buffer(&mut pixels, (width, height));
    render(drawing, bitmap, png_scale)?;
    let png = encoded(&pixels, width, height)?;
    Ok(Picture { svg, png })
}

fn render<B: DrawingBackend>(
    drawing: &impl Drawing,
    backend: B,
    unit: u32,
) -> Result<(), PlotError> {
    let area = backend.into_drawing_area();
    area.fill(&WHITE)
        .and_then(|()| drawing.draw(&area, Pen { unit }))
        .and_then(|()| area.present())
        .map_err(|error| PlotError::Draw(error.to_string()))
}

fn encoded(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, PlotError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(pixels))
        .map_err(|error| PlotError::Draw(error.to_string()))?;
    Ok(file)
}

/// Text is measured and drawn with a built-in font, so that pictures are the same on every machine.
fn use_built_in_font() -> Result<(), PlotError> {
    static VALID: OnceLock<bool> = OnceLock::new();
    let valid = VALID.get_or_init(|| {
        register_font(FONT, FontStyle::Normal, dejavu::sans::regular()).is_ok()
            && register_font(FONT, FontStyle::Bold, dejavu::sans::bold()).is_ok()
    });
    if *valid { Ok(()) } else { Err(PlotError::Font) }
}
