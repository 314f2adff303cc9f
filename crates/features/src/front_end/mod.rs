//! From a waveform to features.
//!
//! Three kinds: [`Mfcc`] and [`Fbank`] follow Kaldi, [`Mel`] follows librosa, each to within a few thousandths of the
//! original. A [`FrontEnd`] says everything that the features depend on; it is what a configuration holds and what is
//! stored beside the features it made. An [`Extractor`] does the work.
//!
//! ```
//! use padwise_features::front_end::FrontEnd;
//!
//! let front_end: FrontEnd = "kaldi-mfcc16".parse()?;
//! let mut extractor = front_end.extractor()?;
//! let second_of_silence = vec![0.0; 16_000];
//! assert_eq!(extractor.frames(16_000), 98);
//! let features = extractor.extract_samples(&second_of_silence, 16_000)?;
//! assert_eq!((features.rows(), features.cols()), (98, 16));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cepstrum;
mod config;
mod deltas;
mod dither;
mod error;
mod extractor;
mod kaldi;
mod lanes;
mod mel_bank;
mod preset;
mod range;
mod spectrum;
mod splice;
mod tacotron;
mod window;
mod written;

use serde::Serialize;

pub use config::{
    Deltas, Dither, Energy, Fbank, Frames, Mel, MelScale, Mfcc, Padding, Spectrum, Splice,
};
pub use error::{ExtractError, FrontEndError, ParseFrontEndError};
pub use extractor::Extractor;
pub use preset::PRESETS;
pub use window::Window;

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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(into = "written::Written")]
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

impl From<Kind> for FrontEnd {
    fn from(kind: Kind) -> Self {
        FrontEnd {
            kind,
            deltas: None,
            splice: None,
        }
    }
}

impl FrontEnd {
    /// Plans the front end.
    ///
    /// # Errors
    /// A parameter is outside its range, or two exclude each other.
    pub fn extractor(&self) -> Result<Extractor, FrontEndError> {
        Extractor::new(self)
    }

    /// Checks that [`FrontEnd::extractor`] would succeed.
    ///
    /// # Errors
    /// As those of [`FrontEnd::extractor`].
    pub fn validate(&self) -> Result<(), FrontEndError> {
        self.extractor().map(drop)
    }

    /// From one frame to the next, and the stretch of time whose middle is a frame's: both as they are computed, in
    /// whole samples, and given in seconds.
    pub fn frame_seconds(&self) -> (f64, f64) {
        let rate = f64::from(self.sample_rate());
        let samples = |ms: f64, round: fn(f64) -> f64| round(ms * rate / 1000.0) / rate;
        let kaldi = |frames: &Frames| {
            let hop = samples(frames.shift_ms, f64::floor);
            let window = samples(frames.length_ms, f64::floor);
            // Without snipped edges, frame t is centred on the middle of its own shift.
            (hop, if frames.snip_edges { window } else { hop })
        };
        match &self.kind {
            Kind::Mfcc(mfcc) => kaldi(&mfcc.frames),
            Kind::Fbank(fbank) => kaldi(&fbank.frames),
            Kind::Mel(mel) => {
                // The window stands in the middle of the transform; centred, that is on the frame's own time.
                let stretch = if mel.center { 0 } else { mel.fft_size };
                (samples(mel.shift_ms, f64::round), f64::from(stretch) / rate)
            }
        }
    }

    /// The sample rate that it takes.
    pub fn sample_rate(&self) -> u32 {
        match &self.kind {
            Kind::Mfcc(config) => config.frames.sample_rate,
            Kind::Fbank(config) => config.frames.sample_rate,
            Kind::Mel(config) => config.sample_rate,
        }
    }
}
