//! Limits on what a file may decode to, so that a small file cannot fill the memory.

/// Bytes that any file may decode to.
#[cfg(any(feature = "audio", feature = "raw"))]
const SMALL: u64 = 64 << 20;

/// How many times larger than the file its decoded content may be. Compressed speech reaches about 10.
#[cfg(any(feature = "audio", feature = "raw"))]
const LARGEST_RATIO: u64 = 64;

/// Limits on decoded data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum duration of an audio file in minutes (default 60).
    pub audio_minutes: u32,
    /// Maximum size of an unpacked archive in bytes. `None`, the default, is 64 MiB or 64 times the size of the archive,
    /// whichever is larger.
    pub unpacked_bytes: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            audio_minutes: 60,
            unpacked_bytes: None,
        }
    }
}

/// Maximum size of the decoded content of a file: 64 MiB, or 64 times the size of the file if that is larger.
#[cfg(any(feature = "audio", feature = "raw"))]
pub(crate) fn decoded_bytes(file_bytes: u64) -> u64 {
    SMALL.max(file_bytes.saturating_mul(LARGEST_RATIO))
}

/// A number of bytes for a message.
#[cfg(any(feature = "audio", feature = "raw", feature = "synthetic"))]
pub(crate) fn bytes_text(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{bytes} bytes"),
        1_000_000..1_000_000_000 => format!("{:.0} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
