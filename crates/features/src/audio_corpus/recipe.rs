//! Converts audio files into features and labels.

use std::sync::{Mutex, PoisonError};

use serde_json::json;
use xxhash_rust::xxh3::Xxh3;

use super::headers::{Headers, RateCount};
use super::label_times::LabelTimes;
use super::recordings::{Recordings, samples_of};
use crate::audio::{self, Channel, DecodeOptions, resampled_len};
use crate::corpus::{CorpusError, utterance_length};
use crate::files::{FileError, Limits};
use crate::front_end::{ExtractError, Extractor, FrontEnd, FrontEndError};
use crate::labels::{FrameLabels, FrameTiming};
use crate::layouts::Source;
use crate::matrix::Matrix;

/// A front end, an audio channel, and optionally frame labels.
pub struct Recipe {
    front_end: FrontEnd,
    channel: Channel,
    limits: Limits,
    labels: Option<FrameLabels>,
    timing: FrameTiming,
    times: LabelTimes,
    /// Sample rates of the files, if their headers were read.
    rates: Vec<RateCount>,
    resample: bool,
    planned: Extractor,
    /// Unused extractors. Each has its own buffers, so they are kept for the next file.
    idle: Mutex<Vec<Extractor>>,
    /// The last file that segments were cut from.
    recordings: Recordings,
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
            limits: Limits::default(),
            labels,
            rates: Vec::new(),
            resample: false,
            idle: Mutex::new(Vec::new()),
            recordings: Recordings::default(),
        })
    }

    /// Changes the limits on audio files.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Recipe { limits, ..self }
    }

    /// Converts audio to the front end's sample rate. Without it, another rate is an error.
    #[must_use]
    pub fn with_resampling(self) -> Self {
        Recipe {
            resample: true,
            ..self
        }
    }

    /// Stores the sample rates of the files in the description of the features.
    #[must_use]
    pub fn with_headers(self, headers: &Headers) -> Self {
        Recipe {
            rates: headers.rates().to_vec(),
            ..self
        }
    }

    /// Sample rates of the files, the lowest first; empty unless [`Recipe::with_headers`] was called.
    pub fn rates(&self) -> &[RateCount] {
        &self.rates
    }

    /// Dimensions of a frame.
    pub fn dims(&self) -> usize {
        self.planned.dims()
    }

    /// Names of the label classes, if there are labels.
    pub fn class_names(&self) -> Option<&[String]> {
        self.labels.as_ref().map(FrameLabels::class_names)
    }

    /// Hop in milliseconds.
    pub fn hop_ms(&self) -> f64 {
        1000.0 * self.front_end.frame_seconds().0
    }

    /// A hash of the file's name and size, of the segment, and of the labels. It changes when they do.
    pub fn fingerprint(&self, source: &Source) -> u64 {
        let mut hash = Xxh3::new();
        let size = std::fs::metadata(&source.audio).map_or(0, |file| file.len());
        hash.update(&size.to_le_bytes());
        let name = source.audio.file_name().unwrap_or_default();
        hash.update(name.as_encoded_bytes());
        if let Some(segment) = &source.segment {
            for time in [segment.start(), segment.duration()] {
                hash.update(&time.as_nanos().to_le_bytes());
            }
        }
        if let Some(labels) = &self.labels {
            hash.update(&labels.fingerprint(&source.id).to_le_bytes());
        }
        hash.digest()
    }

    /// The labels, if any, and the timing of the frames.
    pub fn labels(&self) -> Option<(&FrameLabels, FrameTiming)> {
        Some((self.labels.as_ref()?, self.timing))
    }

    /// The settings that are stored with the features.
    pub fn describe(&self) -> serde_json::Value {
        let mut description = json!({
            "front-end": self.front_end,
            "channel": self.channel,
            "hop-ms": self.hop_ms(),
        });
        if !self.rates.is_empty() {
            // Without counts: another file of the same rate does not change the settings of an unfinished pack.
            let rates: Vec<u32> = self.rates.iter().map(|rate| rate.hz).collect();
            description["sample-rates"] = json!(rates);
        }
        if let Some(labels) = &self.labels {
            description["labels"] = json!({ "times": self.times, "silence": labels.silence() });
        }
        description
    }

    /// Number of frames of a file, from its header if possible.
    pub fn frames(&self, source: &Source) -> Result<u32, CorpusError> {
        let rate = self.front_end.sample_rate();
        let options = self.decode_options();
        let info = audio::probe_within(&source.audio, &options).map_err(CorpusError::other)?;
        if info.rate != rate && !self.resample {
            return Err(CorpusError::other(ExtractError::FrontEnd {
                file: source.audio.display().to_string(),
                source: FrontEndError::Rate {
                    expected: rate,
                    actual: info.rate,
                },
            }));
        }
        let frames = match info.samples {
            Some(samples) => {
                let samples = resampled_len(samples, info.rate, rate);
                let samples = samples_of(source, samples, rate)?;
                let samples = usize::try_from(samples.end - samples.start).unwrap_or(usize::MAX);
                self.planned.frames(samples)
            }
            None => self.features(source)?.rows(),
        };
        self.checked_length(source, frames)
    }

    /// Computes the features and labels of a file. The labels are empty if there are none.
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

    fn decode_options(&self) -> DecodeOptions {
        DecodeOptions {
            channel: self.channel,
            rate: self.resample.then_some(self.front_end.sample_rate()),
            max_minutes: self.limits.audio_minutes,
        }
    }

    fn features(&self, source: &Source) -> Result<Matrix, CorpusError> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut extractor = idle().pop().unwrap_or_else(|| self.planned.clone());
        let features = match source.segment {
            None => extractor
                .extract_file_within(&source.audio, self.decode_options())
                .map_err(CorpusError::other),
            Some(_) => {
                let options = self.decode_options();
                self.recordings.extract(source, &options, &mut extractor)
            }
        };
        idle().push(extractor);
        features
    }

    fn checked_length(&self, source: &Source, frames: usize) -> Result<u32, CorpusError> {
        utterance_length(frames).ok_or_else(|| {
            let reason = format!(
                "{frames} frames: must be from 1 to 4294967295; remove the file from the corpus"
            );
            FileError::content(&source.audio, reason).into()
        })
    }
}

/// The timing of a front end's frames. True times use the hop in whole samples, as computed; counted times use the
/// configured hop.
pub(super) fn timing(
    front_end: &FrontEnd,
    times: LabelTimes,
) -> Result<FrameTiming, FrontEndError> {
    let (hop, window) = front_end.frame_seconds();
    let timing = match times {
        LabelTimes::Counted => FrameTiming::counted(front_end.shift_ms() / 1000.0),
        LabelTimes::True => FrameTiming::windows(hop, window),
    };
    timing.ok_or(FrontEndError::OutOfRange {
        parameter: "the hop in seconds",
        value: hop,
        expected: "from 1e-9 to 3600".into(),
    })
}
