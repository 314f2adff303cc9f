//! Draws the figures of the papers for any set of utterance lengths.
//!
//! A figure is built from plans and then drawn, with the same code for SVG and PNG. The palette is safe for colour-blind readers, and
//! no figure relies on colour alone.

mod anderson_1;
mod bars;
mod doetsch_1;
mod gallery;
mod ge_2;
mod khomenko_2;
mod recommendation;
mod style;
mod survey;

use std::path::{Path, PathBuf};

use anyhow::Context;
use indicatif::ProgressBar;
use padwise_report::files::File;
use padwise_report::plots::canvas::{self, Drawing};
use padwise_sampler::excerpt::shortened;
use padwise_sampler::{Plan, PlanError, Profile, Sampler, Strategy};

use crate::corpora::Survey;
use crate::lengths::Lengths;
use crate::recommendation::Recommendation;

/// A figure from one of the papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureName {
    /// Doetsch, Golik and Ney (2017), figure 1.
    Doetsch1,
    /// Ge et al. (2021), figure 1.
    Ge1,
    /// Ge et al. (2021), figure 2.
    Ge2,
    /// Ge et al. (2021), figure 3.
    Ge3,
    /// Khomenko et al. (2016), figure 2.
    Khomenko2,
    /// Anderson (2020).
    Anderson1,
    /// The padding of three strategies at a glance.
    Padding,
    /// One picture per strategy.
    Strategies,
}

impl FigureName {
    /// Every figure.
    pub const ALL: [FigureName; 8] = [
        FigureName::Doetsch1,
        FigureName::Ge1,
        FigureName::Ge2,
        FigureName::Ge3,
        FigureName::Khomenko2,
        FigureName::Anderson1,
        FigureName::Padding,
        FigureName::Strategies,
    ];

    /// Its name on the command line and in file names.
    pub fn file_stem(self) -> &'static str {
        match self {
            FigureName::Doetsch1 => "doetsch-1",
            FigureName::Ge1 => "ge-1",
            FigureName::Ge2 => "ge-2",
            FigureName::Ge3 => "ge-3",
            FigureName::Khomenko2 => "khomenko-2",
            FigureName::Anderson1 => "anderson-1",
            FigureName::Padding => "padding",
            FigureName::Strategies => "strategies",
        }
    }

    /// What it shows.
    pub fn description(self) -> &'static str {
        match self {
            FigureName::Doetsch1 => {
                "Length by position: random, sorted, bucketing, alternated (Doetsch et al., figure 1)"
            }
            FigureName::Ge1 => {
                "48 utterances in batches of 8: random, sorted, semi-sorted (Ge et al., figure 1)"
            }
            FigureName::Ge2 => "Padding by strategy parameter (Ge et al., figure 2)",
            FigureName::Ge3 => "48 utterances in batches of dynamic size (Ge et al., figure 3)",
            FigureName::Khomenko2 => {
                "Histogram of lengths with six optimal buckets (Khomenko et al., figure 2)"
            }
            FigureName::Anderson1 => {
                "32 documents in smart batches of 4, over four epochs (Anderson)"
            }
            FigureName::Padding => "Padding of random, semi-sorted and sorted batches at a glance",
            FigureName::Strategies => "One picture per strategy: 48 utterances in batches of 8",
        }
    }

    /// The default length profile: the paper's own corpus, if there is a profile of it.
    pub fn usual_profile(self) -> Profile {
        match self {
            FigureName::Doetsch1 => Profile::Chime4,
            FigureName::Ge1 | FigureName::Ge2 | FigureName::Ge3 => Profile::LjSpeech,
            FigureName::Khomenko2
            | FigureName::Anderson1
            | FigureName::Padding
            | FigureName::Strategies => Profile::LibriSpeech,
        }
    }
}

/// A figure ready to draw.
pub enum Figure {
    /// Lengths by position.
    Positions(doetsch_1::Positions),
    /// Batches as bars.
    Bars(bars::Bars),
    /// Padding by parameter.
    Parameters(ge_2::Parameters),
    /// A histogram with buckets.
    Histogram(khomenko_2::Histogram),
    /// Batches by epoch.
    Epochs(anderson_1::Epochs),
    /// Several pictures.
    Gallery(gallery::Gallery),
}

/// Computes the plans that a figure shows. A figure of many plans counts them in `progress`.
pub fn build(
    name: FigureName,
    lengths: &Lengths,
    seed: u64,
    progress: &ProgressBar,
) -> Result<Figure, PlanError> {
    Ok(match name {
        FigureName::Doetsch1 => Figure::Positions(doetsch_1::Positions::new(lengths, seed)?),
        FigureName::Ge1 => Figure::Bars(bars::Bars::fixed(lengths, seed)?),
        FigureName::Ge2 => Figure::Parameters(ge_2::Parameters::new(lengths, seed, progress)?),
        FigureName::Ge3 => Figure::Bars(bars::Bars::dynamic(lengths, seed)?),
        FigureName::Khomenko2 => Figure::Histogram(khomenko_2::Histogram::new(lengths)),
        FigureName::Anderson1 => Figure::Epochs(anderson_1::Epochs::new(lengths, seed)?),
        FigureName::Padding => Figure::Bars(bars::Bars::overview(lengths, seed)?),
        FigureName::Strategies => Figure::Gallery(gallery::Gallery::new(lengths, seed)?),
    })
}

/// Draws a figure as SVG and PNG; returns the paths.
pub fn draw(figure: &Figure, stem: &Path) -> anyhow::Result<Vec<PathBuf>> {
    match figure {
        Figure::Positions(drawing) => write(drawing, stem),
        Figure::Bars(drawing) => write(drawing, stem),
        Figure::Parameters(drawing) => write(drawing, stem),
        Figure::Histogram(drawing) => write(drawing, stem),
        Figure::Epochs(drawing) => write(drawing, stem),
        Figure::Gallery(gallery) => {
            let mut files = Vec::new();
            for (name, drawing) in &gallery.0 {
                files.extend(write(
                    drawing,
                    &stem.with_file_name(format!("strategy-{name}")),
                )?);
            }
            Ok(files)
        }
    }
}

/// Draws the statistics of a corpus as SVG and PNG; returns the paths.
pub fn draw_survey(
    survey: &Survey,
    name: &str,
    hop_ms: Option<f64>,
    stem: &Path,
) -> anyhow::Result<Vec<PathBuf>> {
    let picture = survey::CorpusPicture {
        survey,
        name,
        hop_ms,
    };
    write(&picture, stem)
}

/// Draws a recommendation as SVG and PNG; returns the paths.
pub fn draw_recommendation(
    found: &Recommendation,
    source: &str,
    stem: &Path,
) -> anyhow::Result<Vec<PathBuf>> {
    write(
        &recommendation::RecommendationPicture { found, source },
        stem,
    )
}

/// Writes a drawing as SVG and as PNG of the same size; returns the paths.
fn write(drawing: &impl Drawing, stem: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let picture = canvas::draw(drawing, 1)?;
    if let Some(folder) = stem.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    }
    let contents = [("svg", picture.svg.into_bytes()), ("png", picture.png)];
    let files = contents.map(|(kind, content)| File {
        path: stem.with_extension(kind),
        content,
    });
    for file in &files {
        file.write()?;
    }
    Ok(files.map(|file| file.path).to_vec())
}

fn plan(order: Strategy, lengths: &[u32], seed: u64, epoch: u64) -> Result<Plan, PlanError> {
    Sampler::new(order, seed)?.plan(lengths, epoch)
}

/// The source of the lengths, shortened to fit into a subtitle.
fn short_source(lengths: &Lengths) -> String {
    shortened(&lengths.source, 70)
}

/// A random sample of at most `most` lengths.
fn sample(lengths: &[u32], most: usize, seed: u64) -> Result<Vec<u32>, PlanError> {
    use padwise_sampler::{Batching, Order};
    let everything = Strategy::new(
        Order::Random,
        Batching::Fixed {
            size: i32::MAX as u32,
        },
    );
    let shuffled = plan(everything, lengths, seed, 0)?;
    Ok(shuffled
        .batches()
        .flat_map(|batch| batch.lengths().to_vec())
        .take(most)
        .collect())
}
