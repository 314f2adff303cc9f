//! The report page: one HTML file about one experiment or several.
//!
//! It needs no network, no other file and no JavaScript, fits a phone and a desktop screen, and follows the reader's choice of
//! light or dark mode. Each experiment starts with the answer: a verdict card, a summary table and two plots.
//! Everything else is collapsed below.

mod card;
mod caveats;
mod interval_plot;
mod summary;
mod svg;

use askama::Template;

use crate::findings::Findings;
use crate::narrative::{self, Answer, Reproduction};
use crate::plots::{Plot, StrategyStyles};
use crate::tables::{self, TitledTable};
use crate::text::counted;
use card::Card;
use summary::SummaryTable;

/// The plots shown next to each other, first choice first: numbers of workers if several were run; error if it was measured, else
/// loss; bars if there is no curve.
const MAIN_PLOTS: [&[&str]; 2] = [
    &[
        "time-against-error",
        "speed-against-error",
        "speed-against-loss",
        "time-saved",
    ],
    &["workers-by-time", "error-by-time", "loss-by-time", "speed"],
];

/// One experiment on the page.
struct Section<'a> {
    anchor: String,
    findings: &'a Findings,
    card: Card,
    summary: SummaryTable,
    main_plots: Vec<Figure<'a>>,
    more_plots: Vec<Figure<'a>>,
    answers: Vec<Answer>,
    tables: Vec<TitledTable>,
    runs: TitledTable,
    what_was_run: Vec<String>,
    reproduce: Reproduction,
    /// The level of its headings.
    level: u8,
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

/// The page about these experiments and their plots.
pub fn page(
    experiments: &[(&Findings, &[Plot])],
    styles: &StrategyStyles,
) -> Result<String, askama::Error> {
    let level = if experiments.len() == 1 { 2 } else { 3 };
    let sections: Vec<Section> = experiments
        .iter()
        .enumerate()
        .map(|(number, &(findings, plots))| section(number, level, findings, plots, styles))
        .collect();
    let title = match sections.as_slice() {
        [only] => only.findings.title().to_owned(),
        several => counted(several.len(), "experiment"),
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
    level: u8,
    findings: &'a Findings,
    plots: &'a [Plot],
    styles: &StrategyStyles,
) -> Section<'a> {
    let figure = |plot: &'a Plot| Figure {
        title: &plot.title,
        caption: &plot.caption,
        svg: svg::inline(
            &plot.picture.svg,
            &plot.title,
            &format!("plot-{}-{}", number + 1, plot.stem),
            styles,
        ),
    };
    let plot = |stem: &&str| plots.iter().find(|plot| plot.stem == *stem);
    let main: Vec<&Plot> = MAIN_PLOTS
        .iter()
        .filter_map(|stems| stems.iter().find_map(plot))
        .collect();
    let is_main = |plot: &Plot| main.iter().any(|known| known.stem == plot.stem);
    let verdicts = findings.row_verdicts();
    Section {
        anchor: format!("experiment-{}", number + 1),
        findings,
        card: Card::of(findings, &verdicts),
        summary: SummaryTable::of(findings, &verdicts, styles),
        main_plots: main.iter().map(|plot| figure(plot)).collect(),
        more_plots: plots
            .iter()
            .filter(|plot| !is_main(plot))
            .map(figure)
            .collect(),
        answers: narrative::answers(findings),
        tables: tables::all(findings),
        runs: tables::runs(findings),
        what_was_run: narrative::what_was_run(findings),
        reproduce: narrative::reproduction(findings),
        level,
    }
}

impl Section<'_> {
    /// The titles of the full tables, as one line.
    fn table_titles(&self) -> String {
        let titles: Vec<&str> = self.tables.iter().map(|table| table.title).collect();
        titles.join(" · ")
    }

    /// The titles of the remaining plots, as one line.
    fn plot_titles(&self) -> String {
        let titles: Vec<&str> = self.more_plots.iter().map(|plot| plot.title).collect();
        titles.join(" · ")
    }
}
