//! All that turns a file of audio into features and labels.

use std::sync::{Mutex, PoisonError};

use serde_json::json;
use xxhash_rust::xxh3::Xxh3;

use crate::audio::{self, Channel, resampled_len};
use crate::corpus::{CorpusError, utterance_length};
use crate::files::FileError;
use crate::front_end::{Extractor, FrontEnd, FrontEndError};
use crate::labels::{FrameLabels, FrameTiming};
use crate::layouts::Source;
use crate::matrix::Matrix;

/// What the times of labelled intervals mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelTimes {
    /// They are counts of frames times the hop, as in the CTM files and TextGrids that are made from Kaldi's alignments.
    #[default]
    Counted,
    /// They are times in the recording, as in what people mark.
    True,
}

/// A front end, the channel it listens to, and the labels that go with its frames.
pub struct Recipe {
    front_end: FrontEnd,
    channel: Channel,
    labels: Option<FrameLabels>,
    timing: FrameTiming,
    times: LabelTimes,
    planned: Extractor,
    /// Extractors that no thread is using: each has memory of its own, so they are kept rather than made anew.
    idle: Mutex<Vec<Extractor>>,
}

impl Recipe {
    /// Plans the front end.
    pub fn new(
        front_end: FrontEnd,
        channel: Channel,
        labels: Option<FrameLabels>,
        times: LabelTimes,
    ) -> Result<Self, FrontEndError> {
        let planned = front_end.extractor()?;
        Ok(Recipe {
            timing: timing(&front_end, times)?,
            times,
            planned,
            front_end,
            channel,
            labels,
            idle: Mutex::new(Vec::new()),
        })
    }

    /// The numbers in a frame.
    pub fn dims(&self) -> usize {
        self.planned.dims()
    }

    /// The names of the label classes, where there are labels.
    pub fn class_names(&self) -> Option<&[String]> {
        self.labels.as_ref().map(FrameLabels::class_names)
    }

    /// Milliseconds from one frame to the next.
    pub fn hop_ms(&self) -> f64 {
        1000.0 * self.front_end.frame_seconds().0
    }

    /// A number that changes when a file or its labels do: from the file's name and size, and the labels themselves.
    pub fn fingerprint(&self, source: &Source) -> u64 {
        let mut hash = Xxh3::new();
        let size = std::fs::metadata(&source.audio).map_or(0, |file| file.len());
        hash.update(&size.to_le_bytes());
        let name = source.audio.file_name().unwrap_or_default();
        hash.update(name.as_encoded_bytes());
        if let Some(labels) = &self.labels {
            hash.update(&labels.fingerprint(&source.id).to_le_bytes());
        }
        hash.digest()
    }

    /// The labels, where there are any, and when they are.
    pub fn labels(&self) -> Option<(&FrameLabels, FrameTiming)> {
        Some((self.labels.as_ref()?, self.timing))
    }

    /// The front end and the channel, as they are kept beside the features.
    pub fn describe(&self) -> serde_json::Value {
        let mut description = json!({
            "front-end": self.front_end,
            "channel": self.channel,
            "hop-ms": self.hop_ms(),
        });
        if let Some(labels) = &self.labels {
            description["labels"] = json!({ "times": self.times, "silence": labels.silence() });
        }
        description
    }

    /// How many frames a file will give, from its header where that tells.
    pub fn frames(&self, source: &Source) -> Result<u32, CorpusError> {
        let info = audio::probe(&source.audio).map_err(CorpusError::other)?;
        let rate = self.front_end.sample_rate();
        let frames = match info.samples {
            Some(samples) => {
                let samples = resampled_len(samples, info.rate, rate);
                let samples = usize::try_from(samples).unwrap_or(usize::MAX);
                self.planned.frames(samples)
            }
            None => self.features(source)?.rows(),
        };
        self.checked_length(source, frames)
    }

    /// The features and labels of a file; without labels the second is empty.
    pub fn read(&self, source: &Source) -> Result<(Matrix, Vec<i32>), CorpusError> {
        let features = self.features(source)?;
        let frames = self.checked_length(source, features.rows())?;
        let labels = match &self.labels {
            None => Vec::new(),
            Some(labels) => {
                let labels = labels.of(&source.id, frames, self.timing);
                labels.map_err(CorpusError::other)?
            }
        };
        Ok((features, labels))
    }

    fn features(&self, source: &Source) -> Result<Matrix, CorpusError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut extractor = idle().pop().unwrap_or_else(|| self.planned.clone());
        let features = extractor.extract_file(&source.audio, self.channel);
        idle().push(extractor);
        features.map_err(CorpusError::other)
    }

    fn checked_length(&self, source: &Source, frames: usize) -> Result<u32, CorpusError> {
        utterance_length(frames).ok_or_else(|| {
            let reason = format!(
                "{frames} frames: an utterance has at least 1, and at most 4294967295; leave it out"
            );
            FileError::content(&source.audio, reason).into()
        })
    }
}

/// When the frames of a front end are. Times in the recording need the hop in whole samples, as it is computed; counted
/// ones are counts of the hop as it is named.
fn timing(front_end: &FrontEnd, times: LabelTimes) -> Result<FrameTiming, FrontEndError> {
    let (hop, window) = front_end.frame_seconds();
    let timing = match times {
        LabelTimes::Counted => FrameTiming::counted(front_end.shift_ms() / 1000.0),
        LabelTimes::True => FrameTiming::windows(hop, window),
    };
    timing.ok_or(FrontEndError::OutOfRange {
        parameter: "the shift between frames",
        value: hop,
        expected: "from a nanosecond to an hour, in seconds".into(),
    })
}
