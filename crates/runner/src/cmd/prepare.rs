//! `padwise prepare`: converts audio or existing features into one feature pack.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use padwise_features::audio_corpus::Recipe;
use padwise_features::layouts::Source;
use padwise_features::pack::{Dtype, Pack, PackError};
use padwise_features::prepare::{PackOptions, Progress, pack_corpus, pack_sources};
use padwise_features::{Corpus, FileError};

use super::recipe_args::RecipeArgs;
use super::target_args::TargetArgs;
use crate::corpora::{AudioFacts, Content, CorpusKind, Opened};
use crate::failure::Failure;
use crate::terminal::{count, progress_bar, say};

const EXAMPLES: &str = "\
Examples:
  padwise prepare LibriSpeech/dev-clean --targets chars --out dev-clean.pack
  padwise prepare LJSpeech-1.1 --resample --out ljspeech.pack
  padwise prepare manifest.csv --labels labels.ctm --out corpus.pack
  padwise prepare manifest.csv --where split=train --out train.pack
  padwise prepare kaldi/data/train --hop 10 --dtype f32 --out train.pack

Exit codes:
  0  the pack is complete; --keep-going lists what it skipped
  2  wrong options, or an utterance cannot be read
  3  failure at run time, for example a full disk";

/// Convert audio or existing features into one feature pack.
///
/// A feature pack is one file with checksums that training reads. If `prepare` is interrupted, run the same command again to
/// resume; the resulting file is identical. With other options it starts again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Prepare {
    /// Corpus folder or file; --layout lists the supported layouts
    #[arg(value_name = "CORPUS")]
    corpus: PathBuf,

    /// Feature pack to write
    #[arg(long, value_name = "FILE.pack")]
    out: PathBuf,

    /// Layout of the corpus [default: detected from its files]
    #[arg(long, value_enum)]
    layout: Option<CorpusKind>,

    #[command(flatten)]
    recipe: RecipeArgs,

    #[command(flatten)]
    targets: TargetArgs,

    /// Number format of stored features
    #[arg(long, value_enum, default_value_t = Number::F16)]
    dtype: Number,

    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Number {
    /// Half precision, 2 bytes
    F16,
    /// Single precision, 4 bytes
    F32,
}

impl Prepare {
    /// Writes the pack and prints a summary.
    pub fn run(&self) -> Result<(), Failure> {
        let content = self.recipe.open(&self.corpus, self.layout);
        let content = content.map_err(Failure::usage)?;
        let options = PackOptions {
            dtype: match self.dtype {
                Number::F16 => Dtype::F16,
                Number::F32 => Dtype::F32,
            },
            jobs: self.jobs.map_or(0, usize::from),
            keep_going: self.recipe.keep_going,
        };
        let pack = match content {
            Content::Audio(sources) => self.pack_audio(&sources, &options)?,
            Content::Features(opened) => self.pack_features(opened, &options)?,
        };
        self.report(&pack).map_err(Failure::output)
    }

    fn pack_audio(&self, sources: &[Source], options: &PackOptions) -> Result<Pack, Failure> {
        let recipe = self.recipe.recipe(sources).map_err(Failure::usage)?;
        let mel_bins = AudioFacts::of(&recipe.describe()).mel_bins();
        if let Some(check) = mel_bins.filter(|check| !check.passed) {
            say(format!("warning: {}", check.finding));
        }
        let texts = sources.iter().map(|source| source.text.as_deref());
        let targets = self.targets.encode(texts).map_err(Failure::usage)?;
        let targets = targets.as_ref();
        let bar = progress_bar(sources.len() as u64, "utterances");
        let show = |progress: Progress| show(&bar, progress);
        let pack = pack_sources(&recipe, sources, &self.out, targets, options, show);
        bar.finish_and_clear();
        let pack = pack.map_err(|error| self.failure(error))?;
        warn_of_labels(&recipe, sources, &pack);
        Ok(pack)
    }

    fn pack_features(&self, opened: Opened, options: &PackOptions) -> Result<Pack, Failure> {
        let opened = self.recipe.label(opened).map_err(Failure::usage)?;
        let front_end = serde_json::json!({
            "imported": true,
            "hop-ms": opened.hop_ms,
            "source": opened.description,
        });
        let corpus = opened.corpus.as_ref();
        let texts = (0..corpus.len()).map(|utterance| corpus.text(utterance));
        let targets = self.targets.encode(texts).map_err(Failure::usage)?;
        let targets = targets.as_ref();
        let bar = progress_bar(corpus.len() as u64, "utterances");
        let show = |progress: Progress| show(&bar, progress);
        let pack = pack_corpus(corpus, &self.out, front_end, targets, options, show);
        bar.finish_and_clear();
        pack.map_err(|error| self.failure(error))
    }

    fn report(&self, pack: &Pack) -> io::Result<()> {
        let skipped = pack.left_out();
        for utterance in skipped {
            say(format!("skipped {}: {}", utterance.id, utterance.reason));
        }
        let mut out = io::stdout().lock();
        write!(
            out,
            "{}: {}, {}",
            self.out.display(),
            count(pack.len(), "utterance"),
            count(pack.statistics().frames(), "frame"),
        )?;
        if !skipped.is_empty() {
            write!(out, "; {} skipped", skipped.len())?;
        }
        if let Some(rates) = AudioFacts::of(&pack.setup().front_end).rates_text() {
            write!(out, "; {rates}")?;
        }
        writeln!(out)
    }

    /// Distinguishes errors of the corpus from those of the machine. Completed utterances are kept in both cases.
    fn failure(&self, error: PackError) -> Failure {
        let begun = || {
            let partial = format!("{}.partial", self.out.display());
            std::path::Path::new(&partial).exists()
        };
        match error {
            PackError::File(FileError::Io { .. }) => Failure::runtime(error),
            PackError::Exists { .. }
            | PackError::Busy { .. }
            | PackError::CannotResume { .. }
            | PackError::Setup { .. } => Failure::usage(error),
            error if begun() => {
                let advice = "Completed utterances were kept. Fix the problem and rerun the same command, or add --keep-going.";
                Failure::usage(anyhow::anyhow!("{error}\n{advice}"))
            }
            error @ (PackError::Corpus(_) | PackError::Utterance { .. }) => {
                let advice = "Fix the problem, or add --keep-going to skip such utterances.";
                Failure::usage(anyhow::anyhow!("{error}\n{advice}"))
            }
            error => Failure::usage(error),
        }
    }
}

/// Warns about labels without an utterance, and about labels that end before the audio.
fn warn_of_labels(recipe: &Recipe, sources: &[Source], pack: &Pack) {
    let Some((labels, timing)) = recipe.labels() else {
        return;
    };
    let unknown_ids = labels.unknown_ids(sources.iter().map(|source| source.id.as_str()));
    if let Some(first) = unknown_ids.first() {
        say(format!(
            "warning: the labels contain {} that the corpus does not have; the first is {first}",
            count(unknown_ids.len(), "utterance")
        ));
    }
    let early: Vec<(&str, u32)> = (0..pack.len())
        .map(|i| {
            (
                pack.id(i),
                labels.ends_early_by(pack.id(i), pack.lengths()[i], timing),
            )
        })
        .filter(|&(_, frames)| frames > 1)
        .collect();
    if let Some((first, frames)) = early.first() {
        say(format!(
            "warning: in {} the labels end before the audio (first: {first}, {} short); the remaining frames are labelled {}",
            count(early.len(), "utterance"),
            count(*frames, "frame"),
            labels.silence().unwrap_or_default()
        ));
    }
}

fn show(bar: &ProgressBar, progress: Progress<'_>) {
    let done = match progress {
        Progress::Done(done) => done,
        Progress::Restarted(setting) => {
            bar.suspend(|| {
                say(format!(
                    "starting again: the unfinished pack has a different {setting}"
                ));
            });
            return;
        }
    };
    if bar.position() == 0 && done > 0 {
        // Utterances that an earlier run completed say nothing about the speed of this one.
        bar.set_position(done as u64);
        bar.reset_eta();
    }
    bar.set_position(done as u64);
}
