//! `padwise prepare`: audio, or features that others computed, into one packed file.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use padwise_features::audio_corpus::Recipe;
use padwise_features::layouts::Source;
use padwise_features::pack::{Dtype, Pack, PackError};
use padwise_features::prepare::{PackOptions, pack_corpus, pack_sources};
use padwise_features::{Corpus, FileError};

use super::recipe_args::RecipeArgs;
use crate::corpora::{CorpusKind, open_features, sources};
use crate::failure::Failure;
use crate::terminal::progress_bar;

/// Turn audio, or features that others computed, into one packed file to train from.
///
/// A run that was stopped or killed goes on where it was when the same command is given again, and ends with the same
/// file.
#[derive(Debug, Args)]
pub struct Prepare {
    /// A folder or file: LibriSpeech, LJSpeech, CHiME-4, a manifest, Kaldi's feats.scp, .npy files, raw arrays
    #[arg(value_name = "CORPUS")]
    corpus: PathBuf,

    /// The pack to write
    #[arg(long, value_name = "FILE.pack")]
    out: PathBuf,

    /// What the corpus is, where that cannot be told from its files
    #[arg(long, value_enum)]
    layout: Option<CorpusKind>,

    #[command(flatten)]
    recipe: RecipeArgs,

    /// How numbers are stored: two bytes or four
    #[arg(long, value_enum, default_value_t = Number::F16)]
    dtype: Number,

    /// How many threads compute [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Leave out utterances that cannot be read, and list them at the end, instead of stopping at the first
    #[arg(long)]
    keep_going: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Number {
    F16,
    F32,
}

impl Prepare {
    /// Reads, computes, packs, and says what came of it.
    pub fn run(&self) -> Result<(), Failure> {
        let layout = match self.layout {
            Some(layout) => layout,
            None => CorpusKind::detect(&self.corpus).map_err(Failure::usage)?,
        };
        let options = PackOptions {
            dtype: match self.dtype {
                Number::F16 => Dtype::F16,
                Number::F32 => Dtype::F32,
            },
            jobs: self.jobs.map_or(0, usize::from),
            keep_going: self.keep_going,
        };
        let pack = if layout.is_audio() {
            self.pack_audio(layout, &options)?
        } else {
            self.pack_features(layout, &options)?
        };
        self.report(&pack).map_err(Failure::output)
    }

    fn pack_audio(&self, layout: CorpusKind, options: &PackOptions) -> Result<Pack, Failure> {
        let set = self.recipe.set.as_deref();
        let sources = sources(&self.corpus, layout, set).map_err(Failure::usage)?;
        let recipe = self.recipe.recipe(&sources).map_err(Failure::usage)?;
        let bar = progress_bar(sources.len() as u64, "utterances");
        let pack = pack_sources(&recipe, &sources, &self.out, options, |done| {
            show(&bar, done)
        });
        bar.finish_and_clear();
        let pack = pack.map_err(|error| self.failure(error))?;
        warn_of_labels(&recipe, &sources, &pack);
        Ok(pack)
    }

    fn pack_features(&self, layout: CorpusKind, options: &PackOptions) -> Result<Pack, Failure> {
        let opened = open_features(&self.corpus, layout).map_err(Failure::usage)?;
        let opened = self.recipe.label(opened).map_err(Failure::usage)?;
        let front_end = serde_json::json!({
            "imported": true,
            "hop-ms": opened.hop_ms,
            "source": opened.description,
        });
        let bar = progress_bar(opened.corpus.len() as u64, "utterances");
        let corpus = opened.corpus.as_ref();
        let pack = pack_corpus(corpus, &self.out, front_end, options, |done| {
            show(&bar, done)
        });
        bar.finish_and_clear();
        pack.map_err(|error| self.failure(error))
    }

    fn report(&self, pack: &Pack) -> io::Result<()> {
        let utterances = pack.len();
        let left_out = pack.left_out();
        for utterance in left_out {
            eprintln!("padwise: left out {}: {}", utterance.id, utterance.reason);
        }
        let frames = pack.statistics().frames();
        let mut out = io::stdout().lock();
        write!(
            out,
            "{}: {utterances} utterances, {frames} frames",
            self.out.display()
        )?;
        if !left_out.is_empty() {
            write!(out, "; {} left out", left_out.len())?;
        }
        writeln!(out)
    }

    /// The corpus is at fault, or the disk is; either way, what is written stays.
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
                let said = anyhow::anyhow!(
                    "{error}\nwhat came before it is kept: mend it and give the same command again, or add --keep-going"
                );
                Failure::usage(said)
            }
            error => Failure::usage(error),
        }
    }
}

/// What is allowed, and yet may be a mistake: labels of other utterances, and labels that stop before the audio does.
fn warn_of_labels(recipe: &Recipe, sources: &[Source], pack: &Pack) {
    let Some((labels, timing)) = recipe.labels() else {
        return;
    };
    let strangers = labels.strangers(sources.iter().map(|source| source.id.as_str()));
    if let Some(first) = strangers.first() {
        eprintln!(
            "padwise: there are labels of {} utterances that the corpus does not have, {first} first",
            strangers.len()
        );
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
        eprintln!(
            "padwise: the labels of {} utterances end more than a frame before the audio, {first} first, by {frames} frames; these are {}",
            early.len(),
            labels.silence().unwrap_or_default()
        );
    }
}

fn show(bar: &ProgressBar, done: usize) {
    if bar.position() == 0 && done > 0 {
        // What an earlier run did is no measure of this one's speed.
        bar.set_position(done as u64);
        bar.reset_eta();
    }
    bar.set_position(done as u64);
}
