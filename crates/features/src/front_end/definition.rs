//! What a front end is, and the ones that have a name.

use std::str::FromStr;

use padwise_sampler::suggestion::suggest;

use super::config::{Deltas, Fbank, Frames, Mel, Mfcc, Splice};
use super::error::ParseFrontEndError;

/// Everything that features depend on.
///
/// Written as the name of a preset, or as a table with exactly one of `preset`, `mfcc`, `fbank` and `mel`, and with
/// `deltas` and `splice` if wanted:
///
/// ```toml
/// front-end = "kaldi-mfcc16"
/// ```
/// ```toml
/// [front-end]
/// mfcc = { cepstra = 13, frames = { window = "hamming" } }
/// deltas = { order = 2, window = 2 }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FrontEnd {
    /// The features of one frame.
    pub kind: Kind,
    /// Their rates of change, appended to them.
    pub deltas: Option<Deltas>,
    /// Neighbouring frames side by side, deltas included.
    pub splice: Option<Splice>,
}

/// The features of one frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Mel-frequency cepstral coefficients.
    Mfcc(Mfcc),
    /// Log mel energies, Kaldi's way.
    Fbank(Fbank),
    /// Log mel magnitudes, librosa's way.
    Mel(Mel),
}

/// The names of all presets.
pub const PRESETS: &[&str] = &["kaldi-mfcc16", "kaldi-fbank80", "tacotron-mel80"];

impl FromStr for FrontEnd {
    type Err = ParseFrontEndError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let kind = match name {
            "kaldi-mfcc16" => Kind::Mfcc(Mfcc::default()),
            "kaldi-fbank80" => Kind::Fbank(Fbank::default()),
            "tacotron-mel80" => Kind::Mel(Mel::default()),
            _ => {
                let hint =
                    suggest(name, PRESETS).map(|preset| format!(" (did you mean `{preset}`?)"));
                return Err(ParseFrontEndError::Unknown(format!(
                    "unknown front end `{name}`{}; the presets are {}",
                    hint.unwrap_or_default(),
                    PRESETS.join(", ")
                )));
            }
        };
        Ok(FrontEnd {
            kind,
            deltas: None,
            splice: None,
        })
    }
}

impl Kind {
    /// The frames of the kinds that follow Kaldi, or the settings of the one that follows librosa.
    fn frames(&self) -> Result<&Frames, &Mel> {
        match self {
            Kind::Mfcc(Mfcc { frames, .. }) | Kind::Fbank(Fbank { frames, .. }) => Ok(frames),
            Kind::Mel(mel) => Err(mel),
        }
    }
}

impl FrontEnd {
    /// From one frame to the next, and the stretch of time whose middle is a frame's: both as they are computed, in
    /// whole samples, and given in seconds.
    pub fn frame_seconds(&self) -> (f64, f64) {
        let rate = f64::from(self.sample_rate());
        let samples = |ms: f64, round: fn(f64) -> f64| round(ms * rate / 1000.0) / rate;
        match self.kind.frames() {
            Ok(frames) => {
                let hop = samples(frames.shift_ms, f64::floor);
                let window = samples(frames.length_ms, f64::floor);
                // Without snipped edges, frame t is centred on the middle of its own shift.
                (hop, if frames.snip_edges { window } else { hop })
            }
            Err(mel) => {
                // The window stands in the middle of the transform; centred, that is on the frame's own time.
                let stretch = if mel.center { 0 } else { mel.fft_size };
                (samples(mel.shift_ms, f64::round), f64::from(stretch) / rate)
            }
        }
    }

    /// From one frame to the next in milliseconds, as it is named: not in whole samples.
    pub fn shift_ms(&self) -> f64 {
        let frames = self.kind.frames();
        frames.map_or_else(|mel| mel.shift_ms, |frames| frames.shift_ms)
    }

    /// The sample rate that it takes.
    pub fn sample_rate(&self) -> u32 {
        let frames = self.kind.frames();
        frames.map_or_else(|mel| mel.sample_rate, |frames| frames.sample_rate)
    }
}
