//! Options for features and labels that `prepare` and `corpus` share.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use padwise_features::audio::Channel;
use padwise_features::audio_corpus::{LabelTimes, Recipe};
use padwise_features::files::Limits;
use padwise_features::front_end::{FrontEnd, ParseFrontEndError};
use padwise_features::labels::{FrameLabels, FrameTiming, Labelled};
use padwise_features::layouts::Source;

use crate::corpora::{
    Content, CorporaError, CorpusKind, DEFAULT_FRONT_END, OpenOptions, Opened, open, read_front_end,
};
use crate::terminal::say;

/// How audio becomes features and labels.
#[derive(Debug, Args)]
pub struct RecipeArgs {
    /// Front end: kaldi-mfcc16, kaldi-fbank80, tacotron-mel80 or a TOML file [default: kaldi-mfcc16]
    #[arg(long, value_name = "PRESET|FILE.toml", value_parser = read_front_end)]
    features: Option<FrontEnd>,

    /// Channel of multi-channel audio, from 0 [default: mean of all channels]
    #[arg(long, value_name = "N")]
    channel: Option<usize>,

    /// Frame labels: a .ctm file, a Kaldi alignment (.ark), or a folder of ID.TextGrid or ID.npy files
    #[arg(long, value_name = "PATH")]
    labels: Option<PathBuf>,

    /// Label for frames outside every interval
    #[arg(long, value_name = "NAME", default_value = "SIL")]
    silence: String,

    /// TextGrid tier that contains the labels
    #[arg(long, value_name = "NAME", default_value = "phones")]
    tier: String,

    /// What label times mean: multiples of the frame shift, or times in the recording
    #[arg(long, value_name = "TIMES", value_enum, default_value_t = Times::Counted)]
    label_times: Times,

    /// Frame shift of imported features, in milliseconds
    #[arg(long, value_name = "MS")]
    hop: Option<f64>,

    /// Refuse audio files longer than this many minutes [default: 60]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_utterance_minutes: Option<u32>,

    /// Refuse a .tar.xz that unpacks to more than N GB [default: 64 times its size, at least 64 MiB]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    max_unpacked_gb: Option<u64>,

    /// Use only rows of a manifest whose column has this value (repeatable)
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    filters: Vec<String>,

    /// CHiME-4 set, for example tr05_real, tr05_simu or dt05_real
    #[arg(long, value_name = "SET")]
    set: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Times {
    /// Multiples of the frame shift, as in CTM files and TextGrids made from Kaldi alignments
    Counted,
    /// Times in the recording, as in manual annotations
    True,
}

impl RecipeArgs {
    /// Lists the audio files of a corpus, or opens its features. Detects the layout if it is not given. Prints the notes.
    pub(super) fn open(
        &self,
        path: &Path,
        layout: Option<CorpusKind>,
    ) -> Result<Content, CorporaError> {
        let layout = match layout {
            Some(layout) => layout,
            None => CorpusKind::detect(path)?,
        };
        let options = OpenOptions {
            chime4_set: self.set.as_deref(),
            filters: &self.filters,
            limits: self.limits(),
        };
        let found = open(path, layout, &options)?;
        for note in found.notes {
            say(format!("{}: {note}", path.display()));
        }
        Ok(found.content)
    }

    /// The limits on what files may decode to.
    fn limits(&self) -> Limits {
        let defaults = Limits::default();
        Limits {
            audio_minutes: self.max_utterance_minutes.unwrap_or(defaults.audio_minutes),
            unpacked_bytes: self
                .max_unpacked_gb
                .map(|gigabytes| gigabytes * 1_000_000_000),
        }
    }

    pub(super) fn recipe(&self, sources: &[Source]) -> Result<Recipe, CorporaError> {
        let times = match self.label_times {
            Times::Counted => LabelTimes::Counted,
            Times::True => LabelTimes::True,
        };
        let channel = self.channel.map_or(Channel::Mix, Channel::Index);
        let labels = self.frame_labels(sources)?;
        if self.hop.is_some() {
            return Err(CorporaError::DoesNotApply {
                option: "--hop",
                reason: "the front end sets the frame shift of audio",
            });
        }
        let front_end = match &self.features {
            Some(front_end) => front_end.clone(),
            None => DEFAULT_FRONT_END
                .parse()
                .map_err(|error: ParseFrontEndError| CorporaError::Other(Box::new(error)))?,
        };
        let recipe = Recipe::new(front_end, channel, labels, times)
            .map_err(|error| CorporaError::Other(Box::new(error)))?;
        Ok(recipe.with_limits(self.limits()))
    }

    fn frame_labels(&self, sources: &[Source]) -> Result<Option<FrameLabels>, CorporaError> {
        let Some(path) = &self.labels else {
            // A manifest may name a label file for each utterance.
            let named = sources
                .iter()
                .filter_map(|s| Some((s.id.as_str(), s.labels.as_deref()?)));
            if named.clone().next().is_none() {
                return Ok(None);
            }
            return Ok(Some(FrameLabels::read_each(
                named,
                &self.tier,
                &self.silence,
            )?));
        };
        if !path.is_dir() {
            return Ok(Some(FrameLabels::read(path, &self.silence)?));
        }
        let files: Vec<(&str, PathBuf)> = sources
            .iter()
            .flat_map(|source| {
                let grid = path.join(format!("{}.TextGrid", source.id));
                let array = path.join(format!("{}.npy", source.id));
                [grid, array].map(|file| (source.id.as_str(), file))
            })
            .filter(|(_, file)| file.is_file())
            .collect();
        let files = files.iter().map(|(id, file)| (*id, file.as_path()));
        Ok(Some(FrameLabels::read_each(
            files,
            &self.tier,
            &self.silence,
        )?))
    }

    /// Adds the frame shift and the labels from the command line to imported features.
    pub(super) fn label(&self, mut opened: Opened) -> Result<Opened, CorporaError> {
        let computed = "the corpus already contains features";
        let refused = [
            (self.features.is_some(), "--features", computed),
            (self.channel.is_some(), "--channel", computed),
            (
                self.max_utterance_minutes.is_some(),
                "--max-utterance-minutes",
                computed,
            ),
            (self.set.is_some(), "--set", "this is not CHiME-4"),
            (
                matches!(self.label_times, Times::True),
                "--label-times true",
                "the windows of imported features are unknown",
            ),
        ];
        if let Some(&(_, option, reason)) = refused.iter().find(|(given, ..)| *given) {
            return Err(CorporaError::DoesNotApply { option, reason });
        }
        if self.hop.is_some_and(|hop| !(hop.is_finite() && hop > 0.0)) {
            return Err(CorporaError::Hop);
        }
        opened.hop_ms = self.hop.or(opened.hop_ms);
        if self.labels.is_none() {
            return Ok(opened);
        }
        let utterances: Vec<Source> = (0..opened.corpus.len())
            .map(|utterance| Source {
                id: opened.corpus.id(utterance).into(),
                ..Source::default()
            })
            .collect();
        if let Some(labels) = self.frame_labels(&utterances)? {
            // The windows are unknown, so only counted times work. Labels per frame need neither.
            let timing = FrameTiming::counted(opened.hop_ms.unwrap_or(10.0) / 1000.0);
            let timing = timing.ok_or(CorporaError::Hop)?;
            if opened.hop_ms.is_none() && labels.has_times() {
                return Err(CorporaError::Hop);
            }
            opened.corpus = Box::new(Labelled::new(opened.corpus, labels, timing));
        }
        Ok(opened)
    }
}
