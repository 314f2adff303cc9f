//! Tables of an experiment: summary, comparison with the paper, speed, loss, padding, workers, and all runs.
//!
//! A [`TextTable`] has titles and cells, so Markdown, terminal and page show the same content. [`legend`] explains its columns.
//! [`csv()`] has every number in full precision, for other programs.

mod csv;
mod legend;
mod metric_tables;
mod papers;
mod runs;
mod summary;
mod text_table;
mod titled;
mod workers;

pub use self::csv::{csv, fields};
pub use legend::{LegendEntry, legend, legend_text};
pub use metric_tables::{learning, padding, speed};
pub use papers::papers;
pub use runs::runs;
pub use summary::{SummaryWidth, summary_table};
pub use text_table::{Style, TextTable};
pub use titled::TitledTable;
pub use workers::workers;

use crate::findings::Findings;
use crate::record::PaperColumn;

/// The tables of an experiment. The comparison with the paper comes first, if the config has figures from one.
pub fn all(findings: &Findings) -> Vec<TitledTable> {
    let own = [speed(findings), learning(findings), padding(findings)];
    let workers = findings.scaling.as_ref();
    let workers = workers.map(|scaling| self::workers(&findings.recorded.config.strategy, scaling));
    let tables = papers(findings).into_iter().chain(own);
    tables.chain(workers).collect()
}

/// The title of a column with figures from a paper. Word error rates are named, because our column next to them may be a phone
/// error rate.
fn paper_title(column: PaperColumn) -> &'static str {
    match column {
        PaperColumn::WordErrorPercent => "paper WER %",
        _ => "paper",
    }
}
