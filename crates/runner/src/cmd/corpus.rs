//! `padwise corpus`: what a corpus is like, and whether anything is wrong with it.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use padwise_features::pack::Pack;

use super::recipe_args::RecipeArgs;
use crate::corpora::{
    Check, CorporaError, CorpusKind, Opened, Survey, open_audio, open_features, sources,
};
use crate::failure::Failure;
use crate::figures;
use crate::terminal::progress_bar;

/// Count a corpus: hours, lengths, speakers, class balance, and a few checks. Reads all of it.
#[derive(Debug, Args)]
pub struct CorpusCommand {
    /// A pack, a config (.toml), or anything that `prepare` takes
    #[arg(value_name = "FILE|CONFIG")]
    corpus: PathBuf,

    /// What the corpus is, where that cannot be told from its files
    #[arg(long, value_enum)]
    layout: Option<CorpusKind>,

    #[command(flatten)]
    recipe: RecipeArgs,

    /// Draw lengths and classes to NAME.svg and NAME.png
    #[arg(long, value_name = "NAME")]
    plot: Option<PathBuf>,

    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// To read
    Text,
    /// For other programs
    Json,
}

impl CorpusCommand {
    /// Opens, reads, counts, prints; exit code 1 when a check finds something wrong.
    pub fn run(&self) -> Result<(), Failure> {
        let layout = match self.layout {
            Some(layout) => layout,
            None => CorpusKind::detect(&self.corpus).map_err(Failure::usage)?,
        };
        let opened = self.open(layout).map_err(Failure::usage)?;
        let bar = progress_bar(opened.corpus.len() as u64, "utterances");
        let survey = Survey::of(opened.corpus.as_ref(), opened.hop_ms, |done| {
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        let mut survey = survey.map_err(Failure::usage)?;
        if let Some(path) = &opened.pack {
            survey.checks.push(verified(path)?);
        }
        self.print(&survey).map_err(Failure::output)?;
        if let Some(stem) = &self.plot {
            let name = self
                .corpus
                .file_name()
                .unwrap_or_default()
                .to_string_lossy();
            for path in figures::draw_survey(&survey, &name, opened.hop_ms, stem)
                .map_err(Failure::Runtime)?
            {
                // Beside the figures, not among them: JSON must stay JSON.
                eprintln!("padwise: drew {}", path.display());
            }
        }
        match survey.checks.iter().find(|check| !check.passed) {
            Some(_) => Err(Failure::Gate),
            None => Ok(()),
        }
    }

    fn open(&self, layout: CorpusKind) -> Result<Opened, CorporaError> {
        if !layout.is_audio() {
            return self.recipe.label(open_features(&self.corpus, layout)?);
        }
        let sources = sources(&self.corpus, layout, self.recipe.set.as_deref())?;
        open_audio(self.recipe.recipe(&sources)?, sources)
    }

    fn print(&self, survey: &Survey) -> io::Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        match self.format {
            Format::Json => {
                serde_json::to_writer_pretty(&mut out, survey)?;
                writeln!(out)?;
            }
            Format::Text => print_text(survey, &mut out)?,
        }
        out.flush()
    }
}

/// Every byte of a pack against its checksum.
fn verified(path: &std::path::Path) -> Result<Check, Failure> {
    let pack = Pack::open(path).map_err(Failure::usage)?;
    let left_out = match pack.left_out().len() {
        0 => String::new(),
        n => format!("; {n} utterances were left out when it was made"),
    };
    Ok(match pack.verify() {
        Ok(()) => Check {
            passed: true,
            finding: format!("every byte has its checksum{left_out}"),
        },
        Err(error) => Check {
            passed: false,
            finding: error.to_string(),
        },
    })
}

/// Bars of the histograms are at most this long.
const WIDEST: usize = 50;
const BINS: u32 = 12;
const MOST_CLASSES: usize = 12;

fn print_text(survey: &Survey, out: &mut impl Write) -> io::Result<()> {
    let hours = survey
        .hours
        .map(|h| format!(", {h:.2} hours"))
        .unwrap_or_default();
    let speakers = survey
        .speakers
        .map(|n| format!(", {n} speakers"))
        .unwrap_or_default();
    writeln!(
        out,
        "{} utterances{speakers}, {} frames of {} numbers{hours}",
        survey.utterances, survey.frames, survey.dims
    )?;
    let [shortest, lower, median, upper, longest] = survey.length_quartiles;
    writeln!(
        out,
        "frames of an utterance: {shortest} to {longest}, half of them {lower} to {upper}, median {median}"
    )?;
    writeln!(out)?;
    let width = (longest / BINS + 1).max(1);
    let mut bins = vec![0u64; (longest / width + 1) as usize];
    survey
        .lengths
        .iter()
        .for_each(|&n| bins[(n / width) as usize] += 1);
    let labels = (0..)
        .zip(&bins)
        .map(|(i, &n): (u32, _)| (format!("{}–", i * width), n));
    print_bars(labels, out)?;
    if !survey.class_frames.is_empty() {
        writeln!(
            out,
            "\nframes of a class, the most frequent of {}",
            survey.class_frames.len()
        )?;
        let most = survey.class_frames.iter().take(MOST_CLASSES);
        print_bars(most.map(|(name, n)| (name.clone(), *n)), out)?;
        if let Some((name, n)) = survey.class_frames.last() {
            writeln!(out, "the rarest is {name}, with {n}")?;
        }
    }
    writeln!(out)?;
    for check in &survey.checks {
        let mark = if check.passed { "ok   " } else { "WRONG" };
        writeln!(out, "{mark} {}", check.finding)?;
    }
    Ok(())
}

fn print_bars(rows: impl Iterator<Item = (String, u64)>, out: &mut impl Write) -> io::Result<()> {
    let rows: Vec<(String, u64)> = rows.collect();
    let most = rows.iter().map(|(_, n)| *n).max().unwrap_or(1).max(1);
    let label_width = rows
        .iter()
        .map(|(label, _)| label.chars().count())
        .max()
        .unwrap_or(0);
    for (label, n) in rows {
        let bar = "█".repeat((n as f64 / most as f64 * WIDEST as f64).round() as usize);
        writeln!(out, "{label:>label_width$} {n:>8} {bar}")?;
    }
    Ok(())
}
