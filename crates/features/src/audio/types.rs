//! What sound is here, and which values are taken for sound.

/// Sample rates that are taken for real, in Hz. A header that says anything else is damaged.
pub const RATES: std::ops::RangeInclusive<u32> = 100..=768_000;

/// The largest sample that is taken for sound. Full scale is 1; float files may go beyond it a little, and those
/// written in 16-bit scale by a little more, but what is past this can only be damage.
pub const LARGEST_SAMPLE: f32 = 65_536.0;

/// One channel of sound. Full scale is ±1, so that 16-bit samples are multiples of 1/32768 exactly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waveform {
    /// The samples, in time order.
    pub samples: Vec<f32>,
    /// How many of them make a second.
    pub rate: u32,
}

/// Which channel of a file is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// The mean of all channels; of a mono file, the file itself.
    #[default]
    Mix,
    /// One channel, counted from 0.
    Index(usize),
}

/// What is wanted of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecodeOptions {
    /// The channel.
    pub channel: Channel,
    /// The rate to resample to; the file's own where there is none.
    pub rate: Option<u32>,
}

/// What a file's header says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AudioInfo {
    /// The number of samples in each channel; none where the header leaves it open, as that of a streamed file may.
    pub samples: Option<u64>,
    /// Samples in a second.
    pub rate: u32,
    /// The number of channels.
    pub channels: usize,
}

/// The first sample that is not a number or is far too large.
pub(crate) fn first_invalid_sample(samples: &[f32]) -> Option<(usize, &f32)> {
    // NaN compares false, so it is no sound either.
    let is_sound = |s: &f32| s.abs() <= LARGEST_SAMPLE;
    // All at once first, without a way out in the middle: that is many samples an instruction.
    if samples.iter().fold(true, |all, s| all & is_sound(s)) {
        return None;
    }
    samples.iter().enumerate().find(|(_, s)| !is_sound(s))
}
