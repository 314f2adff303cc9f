//! Audio files in, one channel of samples out.
//!
//! WAV and FLAC are read whole: a file that is cut short or damaged is an error that names it, never a shorter
//! utterance. [`probe`] reads only the header, so that the lengths of a corpus are known without decoding it.

mod container;
mod decode;
mod error;
mod resample;
mod types;

pub(crate) use decode::first_invalid_sample;
pub use decode::{decode, decode_bytes, probe};
pub use error::AudioError;
pub use resample::{resample, resampled_len};
pub use types::{AudioInfo, Channel, DecodeOptions, LARGEST_SAMPLE, RATES, Waveform};
