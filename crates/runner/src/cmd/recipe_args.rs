//! Options that say how audio becomes features, and what labels go with them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use padwise_features::audio::Channel;
use padwise_features::audio_corpus::{LabelTimes, Recipe};
use padwise_features::front_end::{FrontEnd, ParseFrontEndError};
use padwise_features::labels::{FrameLabels, FrameTiming, Labelled};
use padwise_features::layouts::Source;

use crate::corpora::{CorporaError, Opened};

/// How files of audio become features and labels.
#[derive(Debug, Args)]
pub struct RecipeArgs {
    /// The front end: kaldi-mfcc16, kaldi-fbank80, tacotron-mel80, or a TOML file that describes one
    /// [default: kaldi-mfcc16]
    #[arg(long, value_name = "PRESET|FILE.toml", value_parser = front_end)]
    features: Option<FrontEnd>,

    /// The channel, from 0, of files that have several [default: the mean of all]
    #[arg(long, value_name = "N")]
    channel: Option<usize>,

    /// Labels: a .ctm file, Kaldi's alignments (.ark), or a folder of ID.TextGrid or ID.npy files
    #[arg(long, value_name = "PATH")]
    labels: Option<PathBuf>,

    /// The class of what no interval covers
    #[arg(long, value_name = "NAME", default_value = "SIL")]
    silence: String,

    /// The tier of TextGrids that holds the labels
    #[arg(long, value_name = "NAME", default_value = "phones")]
    tier: String,

    /// What the times of intervals are: frames counted by an aligner, or times in the recording
    #[arg(long, value_enum, default_value_t = Times::Counted)]
    label_times: Times,

    /// Milliseconds from one frame to the next, of features that others computed
    #[arg(long, value_name = "MS")]
    hop: Option<f64>,

    /// Which set of CHiME-4: tr05_real, tr05_simu, dt05_real, ...
    #[arg(long, value_name = "SET")]
    pub(super) set: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Times {
    Counted,
    True,
}

impl RecipeArgs {
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
                reason: "the front end sets the hop of audio",
            });
        }
        let front_end = match &self.features {
            Some(front_end) => front_end.clone(),
            None => "kaldi-mfcc16"
                .parse()
                .map_err(|error: ParseFrontEndError| CorporaError::Other(Box::new(error)))?,
        };
        Recipe::new(front_end, channel, labels, times)
            .map_err(|error| CorporaError::Other(Box::new(error)))
    }

    fn frame_labels(&self, sources: &[Source]) -> Result<Option<FrameLabels>, CorporaError> {
        let Some(path) = &self.labels else {
            // A manifest may name a file for each utterance.
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

    /// Features that others computed, with the hop and the labels that were given for them.
    pub(super) fn label(&self, mut opened: Opened) -> Result<Opened, CorporaError> {
        let computed = "these features were computed by others";
        let refused = [
            (self.features.is_some(), "--features", computed),
            (self.channel.is_some(), "--channel", computed),
            (self.set.is_some(), "--set", "this is not CHiME-4"),
            (
                matches!(self.label_times, Times::True),
                "--label-times true",
                "the windows of features that others computed are not known",
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
            // Windows are unknown, so only counted times can be told; one label a frame needs neither.
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

/// A preset by name, or what a file says.
fn front_end(text: &str) -> Result<FrontEnd, String> {
    if !text.ends_with(".toml") {
        return text
            .parse()
            .map_err(|error: ParseFrontEndError| error.to_string());
    }
    let content = std::fs::read_to_string(text).map_err(|error| error.to_string())?;
    toml::from_str(&content).map_err(|error| error.to_string())
}
