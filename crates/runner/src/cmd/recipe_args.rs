//! Options for features and labels that `prepare` and `corpus` share.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use padwise_features::audio::Channel;
use padwise_features::audio_corpus::{Headers, LabelTimes, Recipe, TimesChoice, kilohertz};
use padwise_features::files::Limits;
use padwise_features::front_end::{FrontEnd, ParseFrontEndError};
use padwise_features::labels::{FrameLabels, FrameTiming, LabelError, Labelled};
use padwise_features::layouts::{MissingFiles, Source};

use crate::corpora::{
    Content, CorporaError, CorpusKind, DEFAULT_FRONT_END, OpenOptions, Opened, open, read_front_end,
};
use crate::terminal::{count, say};

/// How audio becomes features and labels.
#[derive(Debug, Args)]
pub struct RecipeArgs {
    /// Front end: kaldi-mfcc16, kaldi-fbank80, tacotron-mel80 or a TOML file [default: kaldi-mfcc16]
    ///
    /// The presets expect audio with 16 kHz.
    #[arg(long, value_name = "PRESET|FILE.toml", value_parser = read_front_end)]
    features: Option<FrontEnd>,

    /// Convert audio to the sample rate of the front end [default: refuse other rates]
    #[arg(long)]
    resample: bool,

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

    /// What label times mean; auto chooses the convention that fits and reports it
    #[arg(long, value_name = "TIMES", value_enum, default_value_t = Times::Auto)]
    label_times: Times,

    /// Frame shift of imported features, in milliseconds
    #[arg(long, value_name = "MS")]
    hop: Option<f64>,

    /// Skip utterances that cannot be read, and list them [default: stop at the first]
    #[arg(long)]
    pub(super) keep_going: bool,

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
    /// The convention that fits the ends of the labels; counted if neither does
    Auto,
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
            missing: self.missing_files(),
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

    /// What to do with audio and label files that do not exist.
    fn missing_files(&self) -> MissingFiles {
        if self.keep_going {
            MissingFiles::List
        } else {
            MissingFiles::Refuse
        }
    }

    /// Reads the headers of all audio files and the labels, and checks that they fit together.
    pub(super) fn recipe(&self, sources: &[Source]) -> Result<Recipe, CorporaError> {
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
        let headers = self.headers(sources, &front_end)?;
        let channel = self.channel.map_or(Channel::Mix, Channel::Index);
        let labels = self.frame_labels(sources)?;
        let times = match self.label_times {
            Times::Counted => LabelTimes::Counted,
            Times::True => LabelTimes::True,
            Times::Auto => match &labels {
                Some(labels) if labels.has_times() => {
                    let choice = TimesChoice::of(labels, &front_end, sources, &headers);
                    let choice = choice.map_err(CorporaError::other)?;
                    say(format!("label times: {choice}"));
                    choice.times
                }
                _ => LabelTimes::default(),
            },
        };
        let recipe = Recipe::new(front_end, channel, labels, times).map_err(CorporaError::other)?;
        let recipe = recipe.with_limits(self.limits()).with_headers(&headers);
        Ok(if self.resample {
            recipe.with_resampling()
        } else {
            recipe
        })
    }

    /// Reads the headers of all audio files, and checks their sample rates.
    fn headers(&self, sources: &[Source], front_end: &FrontEnd) -> Result<Headers, CorporaError> {
        let mut headers = Headers::read(sources);
        if !self.keep_going {
            headers = headers.complete().map_err(CorporaError::other)?;
        }
        if !self.resample {
            headers
                .check_rates(front_end)
                .map_err(CorporaError::other)?;
            return Ok(headers);
        }
        let expected = front_end.sample_rate();
        let others = headers.rates().iter().filter(|rate| rate.hz != expected);
        let others: Vec<String> = others
            .map(|rate| format!("{} from {}", count(rate.files, "file"), kilohertz(rate.hz)))
            .collect();
        if !others.is_empty() {
            let (others, expected) = (others.join(", "), kilohertz(expected));
            say(format!("resampling to {expected}: {others}"));
        }
        Ok(headers)
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
            return Ok(Some(self.read_each(named)?));
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
        Ok(Some(self.read_each(files)?))
    }

    /// Reads one label file per utterance.
    fn read_each<'a>(
        &self,
        files: impl Iterator<Item = (&'a str, &'a Path)>,
    ) -> Result<FrameLabels, LabelError> {
        if self.keep_going {
            FrameLabels::read_each_readable(files, &self.tier, &self.silence)
        } else {
            FrameLabels::read_each(files, &self.tier, &self.silence)
        }
    }

    /// Adds the frame shift and the labels from the command line to imported features.
    pub(super) fn label(&self, mut opened: Opened) -> Result<Opened, CorporaError> {
        let computed = "the corpus already contains features";
        let refused = [
            (self.features.is_some(), "--features", computed),
            (self.channel.is_some(), "--channel", computed),
            (self.resample, "--resample", computed),
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
            if labels.has_times() && matches!(self.label_times, Times::Auto) {
                say("label times: counted, because the windows of imported features are unknown");
            }
            opened.corpus = Box::new(Labelled::new(opened.corpus, labels, timing));
        }
        Ok(opened)
    }
}
