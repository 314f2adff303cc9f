//! The two conventions for the times of labels, and the choice between them.

use std::fmt;

use super::headers::Headers;
use super::recipe::timing;
use super::recordings::samples_of;
use crate::audio::resampled_len;
use crate::front_end::{FrontEnd, FrontEndError};
use crate::labels::FrameLabels;
use crate::layouts::Source;

/// How to interpret the times of labelled intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelTimes {
    /// Multiples of the hop, as in CTM files and TextGrids converted from Kaldi alignments.
    #[default]
    Counted,
    /// Times in the recording, as in manual annotations.
    True,
}

/// The convention that fits the labels of a corpus, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimesChoice {
    /// The chosen convention.
    pub times: LabelTimes,
    /// Utterances whose labels end with the last frame, counted in hops.
    pub counted: usize,
    /// Utterances whose labels end with the audio.
    pub exact: usize,
    /// Utterances whose labels end with both, equally well.
    pub both: usize,
    /// Utterances with labels and a known duration.
    pub utterances: usize,
    /// Whether the two conventions give the same labels with this front end.
    pub same: bool,
}

impl TimesChoice {
    /// Compares the end of the labels with the number of frames and with the duration of the audio, over all utterances.
    pub fn of(
        labels: &FrameLabels,
        front_end: &FrontEnd,
        sources: &[Source],
        headers: &Headers,
    ) -> Result<Self, FrontEndError> {
        let extractor = front_end.extractor()?;
        let (rate, hop) = (front_end.sample_rate(), front_end.shift_ms() / 1000.0);
        let mut choice = TimesChoice {
            times: LabelTimes::Counted,
            counted: 0,
            exact: 0,
            both: 0,
            utterances: 0,
            same: timing(front_end, LabelTimes::Counted)? == timing(front_end, LabelTimes::True)?,
        };
        for source in sources {
            let (Some(end), Some(info)) = (labels.end_seconds(&source.id), headers.of(source))
            else {
                continue;
            };
            let Some(samples) = info.samples else {
                continue;
            };
            let Ok(samples) = samples_of(source, samples, info.rate) else {
                continue;
            };
            let samples = samples.end - samples.start;
            let duration = samples as f64 / f64::from(info.rate);
            let samples = resampled_len(samples, info.rate, rate);
            let frames = extractor.frames(usize::try_from(samples).unwrap_or(usize::MAX));
            choice.add(end, frames as f64 * hop, duration, hop);
        }
        if !choice.same && choice.is_clear() && choice.exact > choice.counted {
            choice.times = LabelTimes::True;
        }
        Ok(choice)
    }

    /// Adds an utterance: the end of its labels, of its frames and of its audio, in seconds.
    fn add(&mut self, end: f64, frames: f64, audio: f64, hop: f64) {
        self.utterances += 1;
        // Rounding of times is below half a hop.
        let fits = |distance: f64| distance <= 0.5 * hop + 1e-9;
        let (from_frames, from_audio) = ((end - frames).abs(), (end - audio).abs());
        match (fits(from_frames), fits(from_audio)) {
            (false, false) => {}
            (true, true) if (from_frames - from_audio).abs() < 0.1 * hop => self.both += 1,
            _ if from_frames < from_audio => self.counted += 1,
            _ => self.exact += 1,
        }
    }

    /// Whether one convention fits more than a quarter of the utterances, and at least twice as many as the other. Labels
    /// without the silence at the end of an utterance fit neither.
    fn is_clear(&self) -> bool {
        let most = self.counted.max(self.exact);
        let least = self.counted.min(self.exact);
        most > 0 && most >= 2 * least && 4 * (most + self.both) > self.utterances
    }
}

/// The choice and its reason, in one line.
impl fmt::Display for TimesChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (counted, exact, all) = (self.counted, self.exact, self.utterances);
        match self.times {
            _ if self.same => write!(f, "counted; true times give the same labels here"),
            LabelTimes::True => write!(
                f,
                "true, because labels end with the audio in {exact} of {all} utterances (with the last frame: {counted})"
            ),
            LabelTimes::Counted if self.is_clear() => write!(
                f,
                "counted, because labels end with the last frame in {counted} of {all} utterances (with the audio: {exact})"
            ),
            LabelTimes::Counted => write!(
                f,
                "counted, by default: labels end with the last frame in {counted} and with the audio in {exact} of {all} utterances; --label-times overrides it"
            ),
        }
    }
}
