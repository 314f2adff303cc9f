//! The page: one HTML file that tells the story of one experiment or several. It needs no network and no other file, is read
//! on a phone as on a desk, and follows the reader's choice of light or dark.

mod svg;

use askama::Template;

use crate::findings::Findings;
use crate::narrative;
use crate::plots::{Plot, StrategyStyles};
use crate::tables::{self, TitledTable};

/// A section of the page.
struct Section<'a> {
    anchor: String,
    findings: &'a Findings,
    warnings: Vec<String>,
    figures: Vec<Figure<'a>>,
    runs: TitledTable,
}

struct Figure<'a> {
    title: &'a str,
    caption: &'a str,
    svg: String,
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: String,
    colours_light: String,
    colours_dark: String,
    sections: Vec<Section<'a>>,
}

/// The page about these experiments, each with its plots.
pub fn page(
    experiments: &[(&Findings, &[Plot])],
    styles: &StrategyStyles,
) -> Result<String, askama::Error> {
    let sections: Vec<Section> = experiments
        .iter()
        .enumerate()
        .map(|(number, &(findings, plots))| section(number, findings, plots, styles))
        .collect();
    let title = match sections.as_slice() {
        [only] => only.findings.title().to_owned(),
        several => format!("{} experiments", several.len()),
    };
    let (colours_light, colours_dark) = svg::colours(styles);
    Page {
        title,
        colours_light,
        colours_dark,
        sections,
    }
    .render()
}

fn section<'a>(
    number: usize,
    findings: &'a Findings,
    plots: &'a [Plot],
    styles: &StrategyStyles,
) -> Section<'a> {
    let figures = plots.iter().enumerate().map(|(index, plot)| Figure {
        title: &plot.title,
        caption: &plot.caption,
        svg: svg::inline(
            &plot.picture.svg,
            &plot.title,
            &format!("s{number}p{index}"),
            styles,
        ),
    });
    Section {
        anchor: format!("experiment-{}", number + 1),
        findings,
        warnings: warnings(findings),
        figures: figures.collect(),
        runs: tables::runs(findings),
    }
}

/// What a reader must know before believing any of it.
fn warnings(findings: &Findings) -> Vec<String> {
    let mut warnings = Vec::new();
    if !findings.has_repeats() {
        warnings
            .push("One seed only: no test is possible, and small differences mean nothing.".into());
    }
    for (row, found) in findings.rows.iter().enumerate() {
        let trouble = found.status.trouble();
        if !trouble.is_empty() {
            warnings.push(format!("{}: {trouble}.", findings.name(row)));
        }
    }
    let environments = &findings.recorded.environments;
    if environments.iter().any(|one| !one.optimised) {
        warnings.push("Built without optimisation: its speeds are of no use.".into());
    }
    if environments.len() > 1 {
        warnings.push(
            "The run went on under another version or on another machine; see what was run.".into(),
        );
    }
    warnings
}
