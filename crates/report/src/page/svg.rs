//! From a picture on white paper to one inside the page: colours become names that the page gives a value to, one in the light
//! and another in the dark.

use std::fmt::Write;

use plotters::style::RGBColor;

use crate::plots::StrategyStyles;
use crate::plots::palette::{FAINT, GREY, INK};

/// What is in every picture: the colour that is drawn with, its name, and its value in the dark.
const COMMON: [(RGBColor, &str, RGBColor); 3] = [
    (INK, "ink", RGBColor(222, 222, 222)),
    (FAINT, "faint", RGBColor(62, 66, 72)),
    (GREY, "grey", RGBColor(160, 160, 160)),
];

fn hex(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02X}{g:02X}{b:02X}")
}

/// Every colour in use: as drawn, its name on the page, in the dark. A strategy may share the colour of something common; the
/// first to have it names it.
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

/// The declarations of all colours, for light and for dark.
pub(super) fn colours(styles: &StrategyStyles) -> (String, String) {
    let (mut in_light, mut in_dark) = (String::new(), String::new());
    for (light, name, dark) in names(styles) {
        // Writing to a string cannot fail.
        let _ = write!(in_light, "--{name}:{};", hex(light));
        let _ = write!(in_dark, "--{name}:{};", hex(dark));
    }
    (in_light, in_dark)
}

/// The picture as part of a page: without white paper, colours by name, sized by the page, and told to who cannot see it.
pub(super) fn inline(svg: &str, title: &str, id: &str, styles: &StrategyStyles) -> String {
    let mut picture = svg.to_owned();
    for (colour, name, _) in names(styles) {
        picture = picture.replace(
            &format!("\"{}\"", hex(colour)),
            &format!("\"var(--{name})\""),
        );
    }
    picture = picture.replacen("fill=\"#FFFFFF\"", "fill=\"none\"", 1);
    // A page needs no name for what an SVG is, and no address in it looks like something to fetch.
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

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
