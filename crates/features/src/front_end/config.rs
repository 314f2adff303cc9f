//! Settings of the front ends.
//!
//! The defaults of each kind are its preset, so a configuration lists only the differences.

use serde::{Deserialize, Serialize};

use super::window::Window;

/// How a waveform is split into frames and each frame is prepared, following Kaldi.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Frames {
    /// Sample rate in Hz.
    pub sample_rate: u32,
    /// Frame length in milliseconds, rounded down to whole samples.
    pub length_ms: f64,
    /// Distance between frame starts in milliseconds, rounded down to whole samples.
    pub shift_ms: f64,
    /// Window function.
    pub window: Window,
    /// Pre-emphasis coefficient; 0 turns it off.
    pub preemphasis: f64,
    /// Subtract the mean of each frame.
    pub remove_dc: bool,
    /// Keep only frames that lie entirely within the waveform. Otherwise there is one frame per shift, and the waveform
    /// is mirrored at its ends.
    pub snip_edges: bool,
    /// FFT size; the next power of two if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fft_size: Option<u32>,
    /// Noise added to every frame, which avoids log(0) in digital silence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dither: Option<Dither>,
}

impl Default for Frames {
    fn default() -> Self {
        Frames {
            sample_rate: 16_000,
            length_ms: 25.0,
            shift_ms: 10.0,
            window: Window::Povey,
            preemphasis: 0.97,
            remove_dc: true,
            snip_edges: true,
            fft_size: None,
            dither: None,
        }
    }
}

/// Reproducible Gaussian noise: features depend only on the utterance and the seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Dither {
    /// Standard deviation, in units of 16-bit samples; Kaldi's default is 1.
    pub amount: f64,
    /// Seed of the noise.
    pub seed: u64,
}

/// Log energy of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Energy {
    /// No energy.
    Off,
    /// Energy before pre-emphasis and windowing.
    Raw,
    /// Energy after pre-emphasis and windowing.
    Windowed,
}

/// Which spectrum the mel filters sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spectrum {
    /// Squared magnitude.
    Power,
    /// Magnitude.
    Magnitude,
}

/// Mel-frequency cepstral coefficients as in Kaldi. The defaults are the preset `kaldi-mfcc16`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Mfcc {
    /// Number of coefficients.
    pub cepstra: u32,
    /// Cepstral lifter, which evens out the variance of the coefficients; 0 turns it off.
    pub lifter: f64,
    /// Replace the first coefficient by the log energy.
    pub energy: Energy,
    /// Floor applied to the energy before the logarithm; 0 means machine epsilon.
    pub energy_floor: f64,
    /// Number of mel filters.
    pub mel_bins: u32,
    /// Lower edge of the filters in Hz.
    pub low_hz: f64,
    /// Upper edge of the filters in Hz; half the sample rate if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_hz: Option<f64>,
    /// Framing.
    pub frames: Frames,
}

impl Default for Mfcc {
    fn default() -> Self {
        Mfcc {
            cepstra: 16,
            lifter: 22.0,
            energy: Energy::Raw,
            energy_floor: 0.0,
            mel_bins: 23,
            low_hz: 20.0,
            high_hz: None,
            frames: Frames::default(),
        }
    }
}

/// Log mel energies as in Kaldi. The defaults are the preset `kaldi-fbank80`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Fbank {
    /// Number of mel filters.
    pub mel_bins: u32,
    /// Lower edge of the filters in Hz.
    pub low_hz: f64,
    /// Upper edge of the filters in Hz; half the sample rate if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_hz: Option<f64>,
    /// Which spectrum the filters sum.
    pub spectrum: Spectrum,
    /// Prepend the log energy as an additional dimension.
    pub energy: Energy,
    /// Floor applied to the energy before the logarithm; 0 means machine epsilon.
    pub energy_floor: f64,
    /// Framing.
    pub frames: Frames,
}

impl Default for Fbank {
    fn default() -> Self {
        Fbank {
            mel_bins: 80,
            low_hz: 20.0,
            high_hz: None,
            spectrum: Spectrum::Power,
            energy: Energy::Off,
            energy_floor: 0.0,
            frames: Frames::default(),
        }
    }
}

/// How a waveform is extended beyond its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Padding {
    /// With zeros.
    Zero,
    /// By reflection at the first and last sample.
    Reflect,
}

/// Mel scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MelScale {
    /// Linear below 1 kHz, logarithmic above (Slaney's Auditory Toolbox).
    Slaney,
    /// Logarithmic throughout (HTK).
    Htk,
}

/// Log mel magnitudes as in Tacotron and its successors. The defaults are the preset `tacotron-mel80`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Mel {
    /// Sample rate in Hz.
    pub sample_rate: u32,
    /// Window length in milliseconds, rounded to the nearest sample.
    pub length_ms: f64,
    /// Distance between frames in milliseconds, rounded to the nearest sample.
    pub shift_ms: f64,
    /// Window function.
    pub window: Window,
    /// FFT size.
    pub fft_size: u32,
    /// Centre frame t on time t · shift. Otherwise keep only frames that lie entirely within the waveform.
    pub center: bool,
    /// How the waveform is extended beyond its ends if frames are centred.
    pub padding: Padding,
    /// Pre-emphasis coefficient; 0 turns it off.
    pub preemphasis: f64,
    /// Which spectrum the filters sum.
    pub spectrum: Spectrum,
    /// Number of mel filters.
    pub mel_bins: u32,
    /// Lower edge of the filters in Hz.
    pub low_hz: f64,
    /// Upper edge of the filters in Hz; half the sample rate if `None`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_hz: Option<f64>,
    /// Mel scale.
    pub scale: MelScale,
    /// Normalise each filter by its bandwidth (Slaney's area normalisation).
    pub equal_area: bool,
    /// Floor applied before the logarithm.
    pub floor: f64,
}

impl Default for Mel {
    fn default() -> Self {
        Mel {
            sample_rate: 16_000,
            length_ms: 50.0,
            shift_ms: 12.5,
            window: Window::Hann,
            fft_size: 1024,
            center: true,
            padding: Padding::Zero,
            preemphasis: 0.0,
            spectrum: Spectrum::Magnitude,
            mel_bins: 80,
            low_hz: 0.0,
            high_hz: None,
            scale: MelScale::Slaney,
            equal_area: true,
            floor: 1e-5,
        }
    }
}

/// Delta features, appended to the static ones: the slope of a regression line through neighbouring frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Deltas {
    /// Order: 1 for deltas, 2 for deltas and delta-deltas.
    pub order: u32,
    /// Number of neighbours on each side in the regression.
    pub window: u32,
}

impl Default for Deltas {
    fn default() -> Self {
        Deltas {
            order: 2,
            window: 2,
        }
    }
}

/// Concatenation of neighbouring frames. At the ends of an utterance, its first or last frame is repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Splice {
    /// Number of frames before.
    pub left: u32,
    /// Number of frames after.
    pub right: u32,
}
