//! `padwise decode`: words from saved log posteriors.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use padwise_decoder::WordErrors;
use padwise_experiment_config::{BEAM_PER_LM_SCALE, WordsConfig};
use padwise_features::Corpus;
use padwise_report::text::with_thousands;

use super::decode_classes::ClassArgs;
use super::{check_writable, print};
use crate::corpora::{Content, CorpusKind, OpenOptions, Opened, open};
use crate::failure::Failure;
use crate::terminal::{DelayedBar, count, say};
use crate::words::text_files::read_transcripts;
use crate::words::{
    DecodedSet, Recogniser, RecogniserFiles, References, Units, WordSettings, check_posteriors,
    decode_set, decoding_pool, posteriors,
};

const EXAMPLES: &str = "\
Examples:
  padwise decode results/NAME/posteriors/1-1-test.pack \\
      --lexicon lexicon.txt --lm trigram.arpa.gz --lm-scale 6 --out words.txt
  padwise decode folder-of-npy --phones phones.txt --durations durations.txt \\
      --lexicon lexicon.txt --lm trigram.arpa.gz --transcripts text
  padwise decode feats.scp --ctc --phones characters.txt --lm trigram.arpa";

/// Frame shift if the corpus does not tell it, in milliseconds.
const USUAL_HOP: f64 = 10.0;

/// Decode saved log posteriors into words.
///
/// A run with measure.words.keep-posteriors saves the posteriors of its test set. Those of other programs need --phones. Prints a line per
/// utterance: its id and its words. The summary goes to standard error.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Decode {
    /// Pack of a run, or features (folder of .npy, feats.scp, pack) that are log posteriors
    #[arg(value_name = "POSTERIORS")]
    posteriors: PathBuf,

    /// Pronunciation lexicon; only CTC on characters needs none
    #[arg(long, value_name = "FILE")]
    lexicon: Option<PathBuf>,

    /// Language model in ARPA format, also .gz
    #[arg(long, value_name = "FILE")]
    lm: PathBuf,

    /// Weight of the language model's log probabilities
    #[arg(long, value_name = "X", default_value_t = 6.0, value_parser = positive)]
    lm_scale: f64,

    /// Drop hypotheses whose score is this much below the best [default: 14 × --lm-scale]
    #[arg(long, value_name = "X", value_parser = positive)]
    beam: Option<f64>,

    /// Penalty per word: above 0 favours fewer words, below 0 more
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    word_penalty: f64,

    /// Weight of the log class priors that are subtracted from log posteriors; CTC ignores it
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    prior_scale: f64,

    /// The most hypotheses kept per frame
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    max_active: usize,

    /// Refuse a language model that needs more memory than this, in GB
    #[arg(long, value_name = "X", default_value_t = 4.0, value_parser = positive)]
    max_lm_gb: f64,

    /// Reference words: on each line an id and its words [default: the transcripts in POSTERIORS]
    #[arg(long, value_name = "FILE")]
    transcripts: Option<PathBuf>,

    /// File for the words [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Frame shift in milliseconds, for the real-time factor [default: that of POSTERIORS, or 10]
    #[arg(long, value_name = "MS", value_parser = positive)]
    hop: Option<f64>,

    #[command(flatten)]
    classes: ClassArgs,
}

/// Parses a number above zero.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("expected a number above 0".into()),
    }
}

impl Decode {
    /// Checks everything, decodes all utterances and prints their words.
    pub fn run(&self) -> Result<(), Failure> {
        let (config, recogniser, opened, references) = self.prepare().map_err(Failure::Usage)?;
        recogniser.notes.iter().for_each(say);
        let corpus = opened.corpus.as_ref();
        let settings = WordSettings::new(&config, self.lm_scale);
        let chosen: Vec<usize> = (0..corpus.len()).collect();
        let pool = decoding_pool(0).map_err(Failure::runtime)?;
        let bar = DelayedBar::new(corpus.len() as u64, "utterances");
        let started = || {
            bar.inc(1);
            true
        };
        let found = decode_set(&recogniser, &settings, corpus, &chosen, &pool, started);
        drop(bar);
        let found = found.map_err(Failure::usage)?;
        let lines = chosen.iter().map(|&utterance| {
            let words = recogniser.text(&found.words[utterance]).join(" ");
            format!("{} {words}", corpus.id(utterance))
                .trim_end()
                .to_owned()
                + "\n"
        });
        let text: String = lines.collect();
        match &self.out {
            Some(path) => {
                padwise_report::files::replace(path, text.as_bytes())
                    .with_context(|| format!("cannot write {}", path.display()))
                    .map_err(Failure::Runtime)?;
            }
            None => print(&text)?,
        }
        let errors = references.map(|references| {
            let mut total = WordErrors::default();
            for (reference, words) in references.words.iter().zip(&found.words) {
                total += recogniser.errors(reference, words);
            }
            total
        });
        let hop_ms = self.hop.or(opened.hop_ms).unwrap_or(USUAL_HOP);
        say(summary(&found, errors, hop_ms / 1000.0));
        Ok(())
    }

    /// Reads and checks all input.
    fn prepare(&self) -> anyhow::Result<(WordsConfig, Recogniser, Opened, Option<References>)> {
        let config = self.config();
        config
            .check_ranges()
            .map_err(|error| anyhow!("--{}", error.message))?;
        if let Some(out) = &self.out {
            check_writable(out)?;
        }
        let opened = self.open()?;
        let corpus = opened.corpus.as_ref();
        anyhow::ensure!(
            !corpus.is_empty(),
            "{}: no utterances",
            self.posteriors.display()
        );
        let references = self.references(corpus)?;
        let units = self.units(&opened)?;
        units
            .check(corpus.dims())
            .with_context(|| self.posteriors.display().to_string())?;
        let files = RecogniserFiles::of(&config, Path::new(""));
        let recogniser = Recogniser::open(&files, &units)?;
        Ok((config, recogniser, opened, references))
    }

    fn config(&self) -> WordsConfig {
        WordsConfig {
            lexicon: self.lexicon.clone(),
            lm_scale: Some(self.lm_scale),
            beam: Some(self.beam.unwrap_or(BEAM_PER_LM_SCALE * self.lm_scale)),
            word_penalty: self.word_penalty,
            prior_scale: self.prior_scale,
            max_active: self.max_active,
            max_lm_gb: self.max_lm_gb,
            ..WordsConfig::new(&self.lm)
        }
    }

    fn open(&self) -> anyhow::Result<Opened> {
        let path = &self.posteriors;
        let found = open(path, CorpusKind::detect(path)?, &OpenOptions::default())?;
        for note in found.notes {
            say(format!("{}: {note}", path.display()));
        }
        match found.content {
            Content::Features(opened) => Ok(opened),
            Content::Audio(_) => Err(anyhow!(
                "{}: audio files: expected the log posteriors of an acoustic model",
                path.display()
            )),
        }
    }

    /// The units in the header of the posteriors, or those of the command line. Checks all posteriors.
    fn units(&self, opened: &Opened) -> anyhow::Result<Units> {
        let path = &self.posteriors;
        let known = posteriors::units(path, &opened.description)?;
        if known.is_some() && self.classes.are_given() {
            return Err(anyhow!(
                "{} says what its classes are: remove --phones",
                path.display()
            ));
        }
        let corpus = opened.corpus.as_ref();
        // Cheap errors come before a pass through all posteriors.
        let uniform = vec![1.0 / corpus.dims().max(1) as f64; corpus.dims()];
        let has_lexicon = self.lexicon.is_some();
        if known.is_none() {
            self.classes.units(&uniform, has_lexicon)?;
        }
        let bar = DelayedBar::new(corpus.len() as u64, "utterances");
        bar.set_message("checking posteriors");
        let mean =
            check_posteriors(corpus, || bar.inc(1)).with_context(|| path.display().to_string())?;
        match known {
            Some(units) => Ok(units),
            None => Ok(self.classes.units(&mean, has_lexicon)?),
        }
    }

    /// The reference words, if there are any.
    fn references(&self, corpus: &dyn Corpus) -> anyhow::Result<Option<References>> {
        if let Some(path) = &self.transcripts {
            let transcripts = read_transcripts(path)?;
            return Ok(Some(References::given(corpus, path, &transcripts)?));
        }
        let has_text = (0..corpus.len()).any(|utterance| corpus.text(utterance).is_some());
        Ok(has_text.then(|| References::of(corpus)).transpose()?)
    }
}

/// What was decoded, how well and how fast.
fn summary(found: &DecodedSet, errors: Option<WordErrors>, frame_seconds: f64) -> String {
    let number = |count: u64| with_thousands(&count.to_string());
    let mut text = count(found.words.len(), "utterance");
    if let Some(errors) = errors {
        text += &format!(", {}", count(errors.words as usize, "word"));
        if let Some(percent) = errors.percent() {
            text += &format!(
                ": WER {percent:.2} % ({} substituted, {} deleted, {} inserted)",
                number(errors.substitutions),
                number(errors.deletions),
                number(errors.insertions)
            );
        }
    }
    let speech = found.frames as f64 * frame_seconds;
    if speech > 0.0 {
        let factor = found.seconds / speech;
        text += &format!("\nreal-time factor {factor:.3} per core");
    }
    if found.incomplete > 0 {
        text += &format!(
            "\n{} ended within a word: a larger --beam or --max-active may help",
            count(found.incomplete, "utterance")
        );
    }
    text
}
