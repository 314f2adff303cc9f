//! Every choice that a front end leaves open.
//!
//! The defaults of each kind are its preset, so a configuration says only what differs from it.

use serde::{Deserialize, Serialize};

use super::window::Window;

/// How a waveform is cut into frames and each frame made ready, as Kaldi does it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Frames {
    /// Samples in a second.
    pub sample_rate: u32,
    /// The length of a frame in milliseconds; a part of a sample is cut off.
    pub length_ms: f64,
    /// From the start of one frame to that of the next, in milliseconds; a part of a sample is cut off.
    pub shift_ms: f64,
    /// What a frame is multiplied by.
    pub window: Window,
    /// How much of each sample is taken from the next, which lifts high frequencies; 0 for none.
    pub preemphasis: f64,
    /// Subtract the mean of each frame from it.
    pub remove_dc: bool,
    /// Only frames that lie wholly within the waveform. Otherwise one frame for each shift, mirrored at the edges.
    pub snip_edges: bool,
    /// The length of the Fourier transform; the next power of two where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fft_size: Option<u32>,
    /// Noise added to every frame, so that digital silence has no logarithm of 0.
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

/// Gaussian noise that is the same in every run: an utterance's features depend on nothing but itself and the seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Dither {
    /// The standard deviation, in the scale of 16-bit samples; Kaldi's is 1.
    pub amount: f64,
    /// The seed.
    pub seed: u64,
}

/// The logarithm of a frame's energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Energy {
    /// None.
    Off,
    /// Of the frame before pre-emphasis and windowing.
    Raw,
    /// Of the frame as it enters the Fourier transform.
    Windowed,
}

/// What is summed under the mel filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spectrum {
    /// The square of the magnitude.
    Power,
    /// The magnitude.
    Magnitude,
}

/// Mel-frequency cepstral coefficients, as Kaldi computes them. The defaults are the preset `kaldi-mfcc16`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Mfcc {
    /// The number of coefficients.
    pub cepstra: u32,
    /// The lifter that evens out the variance of the coefficients; 0 for none.
    pub lifter: f64,
    /// Put the energy in place of the first coefficient.
    pub energy: Energy,
    /// The least energy before its logarithm is taken; 0 for none but the smallest that a float can tell from 0.
    pub energy_floor: f64,
    /// The number of mel filters.
    pub mel_bins: u32,
    /// The lower edge of the filters in Hz.
    pub low_hz: f64,
    /// The upper edge of the filters in Hz; half the sample rate where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_hz: Option<f64>,
    /// The frames.
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

/// Logarithms of mel energies, as Kaldi computes them. The defaults are the preset `kaldi-fbank80`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Fbank {
    /// The number of mel filters.
    pub mel_bins: u32,
    /// The lower edge of the filters in Hz.
    pub low_hz: f64,
    /// The upper edge of the filters in Hz; half the sample rate where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_hz: Option<f64>,
    /// What the filters sum.
    pub spectrum: Spectrum,
    /// Put the energy before the mel energies, as one dimension more.
    pub energy: Energy,
    /// The least energy before its logarithm is taken; 0 for none but the smallest that a float can tell from 0.
    pub energy_floor: f64,
    /// The frames.
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

/// How the frames beyond the ends of a waveform are filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Padding {
    /// With silence.
    Zero,
    /// With the waveform mirrored at its first and at its last sample.
    Reflect,
}

/// Which mel scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MelScale {
    /// Linear below 1 kHz, logarithmic above (Slaney's Auditory Toolbox).
    Slaney,
    /// Logarithmic throughout (HTK).
    Htk,
}

/// Logarithms of mel magnitudes, as Tacotron's descendants compute them. The defaults are the preset `tacotron-mel80`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Mel {
    /// Samples in a second.
    pub sample_rate: u32,
    /// The length of the window in milliseconds, to the nearest sample.
    pub length_ms: f64,
    /// From one frame to the next in milliseconds, to the nearest sample.
    pub shift_ms: f64,
    /// What a frame is multiplied by.
    pub window: Window,
    /// The length of the Fourier transform.
    pub fft_size: u32,
    /// A frame around the time of every shift, from 0 on. Otherwise only frames wholly within the waveform.
    pub center: bool,
    /// What lies beyond the ends of the waveform, where frames are centred.
    pub padding: Padding,
    /// How much of each sample is taken from the next; 0 for none.
    pub preemphasis: f64,
    /// What the filters sum.
    pub spectrum: Spectrum,
    /// The number of mel filters.
    pub mel_bins: u32,
    /// The lower edge of the filters in Hz.
    pub low_hz: f64,
    /// The upper edge of the filters in Hz; half the sample rate where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high_hz: Option<f64>,
    /// The mel scale.
    pub scale: MelScale,
    /// Divide each filter by its width, so that wide ones do not weigh more.
    pub equal_area: bool,
    /// The least value before the logarithm is taken.
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

/// Rates of change, appended to the features: the slope of a line through each frame's neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Deltas {
    /// How often: 1 for deltas, 2 for deltas and their deltas.
    pub order: u32,
    /// The number of neighbours on each side that the line goes through.
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

/// Neighbouring frames side by side in one; at the ends of an utterance, its first and last frame are repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Splice {
    /// Frames before each.
    pub left: u32,
    /// Frames after each.
    pub right: u32,
}
