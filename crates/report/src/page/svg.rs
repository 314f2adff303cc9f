//! Pictures inside the page. Colours become CSS variables, which have one value in light mode and another in dark mode.

use std::fmt::Write;

use plotters::style::RGBColor;

use crate::plots::palette::{FAINT, GREY, INK};
use crate::plots::{Shape, StrategyStyles};

/// The colours of every picture: as drawn, the name of the variable, in dark mode.
const COMMON: [(RGBColor, &str, RGBColor); 3] = [
    (INK, "ink", RGBColor(222, 222, 222)),
    (FAINT, "faint", RGBColor(62, 66, 72)),
    (GREY, "grey", RGBColor(160, 160, 160)),
];

fn hex(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02X}{g:02X}{b:02X}")
}

/// Every colour in use: as drawn, the name of the variable, in dark mode. A strategy may share a common colour, which then keeps
/// its common name.
fn names(styles: &StrategyStyles) -> Vec<(RGBColor, String, RGBColor)> {
    let common = COMMON.map(|(light, name, dark)| (light, name.to_owned(), dark));
    let strategies = styles
        .all()
        .enumerate()
        .map(|(index, style)| (style.light, format!("strategy-{index}"), style.dark));
    let mut names: Vec<(RGBColor, String, RGBColor)> = Vec::new();
    for (light, name, dark) in common.into_iter().chain(strategies) {
        if names.iter().all(|(known, _, _)| *known != light) {
            names.push((light, name, dark));
        }
    }
    names
}

/// The declarations of all colour variables, for light and dark mode.
pub(super) fn colours(styles: &StrategyStyles) -> (String, String) {
    let (mut in_light, mut in_dark) = (String::new(), String::new());
    for (light, name, dark) in names(styles) {
        // Writing to a string cannot fail.
        let _ = write!(in_light, "--{name}:{};", hex(light));
        let _ = write!(in_dark, "--{name}:{};", hex(dark));
    }
    (in_light, in_dark)
}

/// A plot as part of the page: transparent, with colour variables, sized by the page, and with a title for screen readers.
pub(super) fn inline(svg: &str, title: &str, id: &str, styles: &StrategyStyles) -> String {
    let mut picture = svg.to_owned();
    for (colour, name, _) in names(styles) {
        picture = picture.replace(
            &format!("\"{}\"", hex(colour)),
            &format!("\"var(--{name})\""),
        );
    }
    picture = picture.replacen("fill=\"#FFFFFF\"", "fill=\"none\"", 1);
    // Inside HTML an SVG needs no namespace, and without it the page contains no address at all.
    picture = picture.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "");
    let open = picture.find("<svg").unwrap_or(0);
    let size = picture.find("viewBox").unwrap_or(open);
    format!(
        "<svg role=\"img\" aria-labelledby=\"{id}\" {}",
        picture[size..].replacen(
            '>',
            &format!("><title id=\"{id}\">{}</title>", escaped(title)),
            1
        )
    )
}

/// The variable of a strategy's colour.
pub(super) fn colour_name(light: RGBColor, styles: &StrategyStyles) -> String {
    let known = names(styles).into_iter().find(|(own, _, _)| *own == light);
    known.map_or_else(|| "ink".into(), |(_, name, _)| name)
}

/// The mark of a strategy, as in the plots.
pub(super) fn mark(shape: Shape, colour: &str) -> String {
    let points: Vec<String> = shape
        .corners()
        .into_iter()
        .map(|(x, y)| format!("{:.1},{:.1}", 8.0 + 5.0 * x, 8.0 + 5.0 * y))
        .collect();
    format!(
        "<svg class=\"mark\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><polygon fill=\"var(--{colour})\" points=\"{}\"/></svg>",
        points.join(" ")
    )
}

/// A bar of this share of the full width.
pub(super) fn bar(share: f64, colour: &str) -> String {
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"{:.1}\" height=\"8\" fill=\"var(--{colour})\"/></svg>",
        100.0 * share.clamp(0.0, 1.0)
    )
}

/// Text inside SVG.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
