//! Audio decoding: WAV and FLAC files in, one channel of samples out.
//!
//! Files are decoded completely and checked. A truncated or damaged file is an error that names it, never a shorter
//! utterance. `probe` reads only the header, so the lengths of a corpus are known without decoding it.

#[cfg(feature = "audio")]
mod container;
#[cfg(feature = "audio")]
mod decode;
#[cfg(feature = "audio")]
mod error;
#[cfg(feature = "audio")]
mod limits;
#[cfg(feature = "audio")]
mod resample;
mod types;

#[cfg(feature = "layouts")]
pub(crate) use decode::probe_within;
#[cfg(feature = "audio")]
pub use decode::{decode, decode_bytes, probe};
#[cfg(feature = "audio")]
pub use error::AudioError;
#[cfg(feature = "audio")]
pub use resample::{resample, resampled_len};
pub(crate) use types::first_invalid_sample;
pub use types::{AudioInfo, Channel, DecodeOptions, LARGEST_SAMPLE, RATES, Waveform};
