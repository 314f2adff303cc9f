//! Front ends: from a waveform to features.
//!
//! There are three kinds of features. [`Mfcc`] and [`Fbank`] follow Kaldi, [`Mel`] follows librosa; each matches the
//! original to within a few thousandths. A [`FrontEnd`] has all settings. Configs contain it, and packs store it with their features. An [`Extractor`] computes the features.
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
mod definition;
mod deltas;
mod dither;
mod error;
mod extractor;
mod kaldi;
mod lanes;
mod mel_bank;
mod range;
mod spectrum;
mod splice;
mod tacotron;
mod window;
mod written;

pub use config::{
    Deltas, Dither, Energy, Fbank, Frames, Mel, MelScale, Mfcc, Padding, Spectrum, Splice,
};
pub use definition::{FrontEnd, Kind, PRESETS};
#[cfg(feature = "audio")]
pub use error::ExtractError;
pub use error::{FrontEndError, ParseFrontEndError};
pub use extractor::Extractor;
pub use window::Window;
