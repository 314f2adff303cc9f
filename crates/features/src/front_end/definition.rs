//! The definition of a front end, and the named presets.

use std::str::FromStr;

use padwise_sampler::suggestion::suggest;

use super::config::{Deltas, Fbank, Frames, Mel, Mfcc, Splice};
use super::error::ParseFrontEndError;
use padwise_sampler::excerpt::excerpt;

/// A front end: all settings that features depend on.
///
/// In a configuration, write the name of a preset, or a table with exactly one of `preset`, `mfcc`, `fbank` and `mel`,
/// plus optional `deltas` and `splice`:
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
    /// Static features of a frame.
    pub kind: Kind,
    /// Delta features, appended to the static ones.
    pub deltas: Option<Deltas>,
    /// Concatenation of neighbouring frames, deltas included.
    pub splice: Option<Splice>,
}

/// Static features of a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Mel-frequency cepstral coefficients.
    Mfcc(Mfcc),
    /// Log mel energies as in Kaldi.
    Fbank(Fbank),
    /// Log mel magnitudes as in librosa.
    Mel(Mel),
}

/// Names of all presets.
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
                    "unknown front end `{}`{}; the presets are {}",
                    excerpt(name),
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
    /// The framing of the Kaldi kinds, or the settings of the librosa kind.
    fn frames(&self) -> Result<&Frames, &Mel> {
        match self {
            Kind::Mfcc(Mfcc { frames, .. }) | Kind::Fbank(Fbank { frames, .. }) => Ok(frames),
            Kind::Mel(mel) => Err(mel),
        }
    }
}

impl FrontEnd {
    /// The hop and the window in seconds, as computed: in whole samples. The middle of the window is the time of the
    /// frame.
    pub fn frame_seconds(&self) -> (f64, f64) {
        let rate = f64::from(self.sample_rate());
        let samples = |ms: f64, round: fn(f64) -> f64| round(ms * rate / 1000.0) / rate;
        match self.kind.frames() {
            Ok(frames) => {
                let hop = samples(frames.shift_ms, f64::floor);
                let window = samples(frames.length_ms, f64::floor);
                // Without snipped edges, frame t is centred on the middle of its shift.
                (hop, if frames.snip_edges { window } else { hop })
            }
            Err(mel) => {
                // The window lies in the middle of the FFT input. With centred frames, that is the time of the frame.
                let stretch = if mel.center { 0 } else { mel.fft_size };
                (samples(mel.shift_ms, f64::round), f64::from(stretch) / rate)
            }
        }
    }

    /// The configured hop in milliseconds, not rounded to whole samples.
    pub fn shift_ms(&self) -> f64 {
        let frames = self.kind.frames();
        frames.map_or_else(|mel| mel.shift_ms, |frames| frames.shift_ms)
    }

    /// Changes the hop, in milliseconds.
    #[must_use]
    pub fn with_shift_ms(mut self, shift_ms: f64) -> Self {
        match &mut self.kind {
            Kind::Mfcc(Mfcc { frames, .. }) | Kind::Fbank(Fbank { frames, .. }) => {
                frames.shift_ms = shift_ms;
            }
            Kind::Mel(mel) => mel.shift_ms = shift_ms,
        }
        self
    }

    /// The expected sample rate in Hz.
    pub fn sample_rate(&self) -> u32 {
        let frames = self.kind.frames();
        frames.map_or_else(|mel| mel.sample_rate, |frames| frames.sample_rate)
    }
}
