//! `padwise corpus`: a summary of a corpus, and checks for common errors.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use padwise_features::pack::Pack;
use padwise_report::text::with_thousands;

use super::recipe_args::RecipeArgs;
use super::target_args::shown;
use crate::corpora::{
    Check, Content, CorporaError, CorpusKind, Opened, Skipped, Survey, open_audio,
};
use crate::failure::Failure;
use crate::figures;
use crate::terminal::{count, progress_bar, say};

const EXAMPLES: &str = "\
Examples:
  padwise corpus corpus.pack
  padwise corpus configs/quick.toml
  padwise corpus LibriSpeech/dev-clean --labels alignments/ --plot dev-clean
  padwise corpus corpus.pack --format json

Exit codes:
  0  all checks passed
  1  a check failed (marked FAILED), or --keep-going skipped utterances
  2  the corpus cannot be read";

/// Summarise a corpus and check it for errors.
///
/// Reads the whole corpus. Prints its size, a histogram of lengths and the most frequent classes. Then checks for values that are
/// not finite, duplicate ids, constant dimensions, empty mel bins, labels out of range and damaged packs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct CorpusCommand {
    /// Feature pack, config (.toml), or any corpus that `prepare` reads
    #[arg(value_name = "CORPUS")]
    corpus: PathBuf,

    /// Layout of the corpus [default: detected from its files]
    #[arg(long, value_enum)]
    layout: Option<CorpusKind>,

    #[command(flatten)]
    recipe: RecipeArgs,

    /// Plot lengths and classes to NAME.svg and NAME.png
    #[arg(long, value_name = "NAME")]
    plot: Option<PathBuf>,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text with histograms
    Text,
    /// One object with all numbers
    Json,
}

impl CorpusCommand {
    /// Reads the corpus and prints the summary. Exit code 1 if a check fails.
    pub fn run(&self) -> Result<(), Failure> {
        let (opened, skipped) = self.open().map_err(Failure::usage)?;
        let bar = progress_bar(opened.corpus.len() as u64, "utterances");
        let survey = Survey::of(&opened, self.recipe.keep_going, skipped, |done| {
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        let mut survey = survey.map_err(Failure::usage)?;
        for Skipped { id, reason } in &survey.skipped {
            say(format!("skipped {id}: {reason}"));
        }
        if survey.utterances == 0 && !survey.skipped.is_empty() {
            let none = format!(
                "none of the {} utterances can be read",
                survey.skipped.len()
            );
            return Err(Failure::usage(anyhow::anyhow!(none)));
        }
        if let Some(path) = &opened.pack {
            survey.checks.push(verified(path)?);
        }
        let printed = self.print(&survey).map_err(Failure::output);
        if let Some(stem) = &self.plot {
            let name = self
                .corpus
                .file_name()
                .unwrap_or_default()
                .to_string_lossy();
            for path in figures::draw_survey(&survey, &name, opened.hop_ms, stem)
                .map_err(Failure::Runtime)?
            {
                // To standard error, because standard output may be JSON.
                say(format!("wrote {}", path.display()));
            }
        }
        printed?;
        match survey.checks.iter().find(|check| !check.passed) {
            Some(_) => Err(Failure::Gate),
            None => Ok(()),
        }
    }

    fn open(&self) -> Result<(Opened, Vec<Skipped>), CorporaError> {
        match self.recipe.open(&self.corpus, self.layout)? {
            Content::Audio(sources) => {
                let recipe = self.recipe.recipe(&sources)?;
                open_audio(recipe, sources, self.recipe.keep_going)
            }
            Content::Features(opened) => Ok((self.recipe.label(opened)?, Vec::new())),
        }
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

/// Checks every byte of a pack against its checksums.
fn verified(path: &std::path::Path) -> Result<Check, Failure> {
    let pack = Pack::open(path).map_err(Failure::usage)?;
    let skipped = match pack.left_out().len() {
        0 => String::new(),
        n => format!("; `prepare` skipped {}", count(n, "utterance")),
    };
    Ok(match pack.verify() {
        Ok(()) => Check {
            passed: true,
            finding: format!("all checksums match{skipped}"),
        },
        Err(error) => Check {
            passed: false,
            finding: error.to_string(),
        },
    })
}

/// The length of the longest bar, in characters.
const LONGEST_BAR: usize = 50;
const BINS: u32 = 12;
const MOST_CLASSES: usize = 12;

fn print_text(survey: &Survey, out: &mut impl Write) -> io::Result<()> {
    let number = |number: u64| with_thousands(&number.to_string());
    let speakers = survey
        .speakers
        .map(|n| format!(", {}", count(n, "speaker")))
        .unwrap_or_default();
    let duration = survey.hours.map(|hours| match hours {
        ..1.0 => format!(", {:.1} minutes", 60.0 * hours),
        _ => format!(", {hours:.2} hours"),
    });
    writeln!(
        out,
        "{}{speakers}, {} of {}{}",
        count(survey.utterances, "utterance"),
        count(survey.frames, "frame"),
        count(survey.dims, "dimension"),
        duration.unwrap_or_default(),
    )?;
    if let Some(rates) = &survey.rates_text {
        writeln!(out, "{rates}")?;
    }
    let [shortest, lower, median, upper, longest] =
        survey.length_quartiles.map(|frames| number(frames.into()));
    writeln!(
        out,
        "frames per utterance: {shortest} to {longest}, quartiles {lower}, {median}, {upper}"
    )?;
    writeln!(out, "\nUtterances by length, in frames:")?;
    let longest = survey.length_quartiles[4];
    let width = (longest / BINS + 1).max(1);
    let mut bins = vec![0u64; (longest / width + 1) as usize];
    survey
        .lengths
        .iter()
        .for_each(|&n| bins[(n / width) as usize] += 1);
    let labels = (0..).zip(&bins).map(|(i, &n): (u32, _)| {
        let (first, last) = (i * width, (i + 1) * width - 1);
        (format!("{first}–{last}"), n)
    });
    print_bars(labels, out)?;
    print_frequencies("Frames by class", &survey.class_frames, out)?;
    if let Some(targets) = &survey.targets {
        let visible = |(symbol, n): &(String, u64)| (shown(symbol), *n);
        let symbols: Vec<(String, u64)> = targets.symbol_counts.iter().map(visible).collect();
        let title = format!("Symbols of the targets ({})", targets.unit.name());
        print_frequencies(&title, &symbols, out)?;
    }
    writeln!(out, "\nChecks:")?;
    for check in &survey.checks {
        let mark = if check.passed { "ok    " } else { "FAILED" };
        writeln!(out, "{mark}  {}", check.finding)?;
    }
    Ok(())
}

/// Prints the most frequent names, and the rarest. Prints nothing without names.
fn print_frequencies(title: &str, names: &[(String, u64)], out: &mut impl Write) -> io::Result<()> {
    let most = names.iter().take(MOST_CLASSES);
    match (names, names.last()) {
        (_, Some((rarest, n))) if names.len() > MOST_CLASSES => {
            let all = with_thousands(&names.len().to_string());
            writeln!(out, "\n{title}, the {MOST_CLASSES} most frequent of {all}:")?;
            print_bars(most.cloned(), out)?;
            writeln!(out, "rarest: {rarest}, {}", with_thousands(&n.to_string()))
        }
        ([_, ..], _) => {
            writeln!(out, "\n{title}:")?;
            print_bars(most.cloned(), out)
        }
        ([], _) => Ok(()),
    }
}

fn print_bars(rows: impl Iterator<Item = (String, u64)>, out: &mut impl Write) -> io::Result<()> {
    let rows: Vec<(String, String, u64)> = rows
        .map(|(label, n)| (label, with_thousands(&n.to_string()), n))
        .collect();
    let most = rows.iter().map(|(.., n)| *n).max().unwrap_or(1).max(1);
    let longest = |texts: &mut dyn Iterator<Item = &String>| {
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let labels = longest(&mut rows.iter().map(|(label, ..)| label));
    let numbers = longest(&mut rows.iter().map(|(_, digits, _)| digits));
    for (label, digits, n) in rows {
        let bar = "█".repeat((n as f64 / most as f64 * LONGEST_BAR as f64).round() as usize);
        let line = format!("  {label:>labels$}  {digits:>numbers$} {bar}");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
