//! The most memory that a language model may need.

/// Limits on reading a language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelLimits {
    /// Maximum memory in bytes while the model is read (default 4 GiB). A model that needs more is an error before it is read.
    pub max_bytes: u64,
}

impl Default for ModelLimits {
    fn default() -> Self {
        ModelLimits { max_bytes: 4 << 30 }
    }
}

/// Bytes per word, most of them for the words of the file.
const UNIGRAM: u64 = 128;
/// Bytes per n-gram that may be a history: while reading, and in the model as a successor and a state.
const HISTORY: u64 = 56;
/// Bytes per n-gram of the highest order.
const HIGHEST: u64 = 32;

/// The memory that a model needs while it is read, by its numbers of n-grams of each order.
pub(super) fn needed_bytes(counts: &[u64]) -> u64 {
    let last = counts.len().saturating_sub(1);
    let bytes = counts.iter().enumerate().map(|(index, count)| {
        let each = match index {
            0 => UNIGRAM,
            index if index == last => HIGHEST,
            _ => HISTORY,
        };
        count.saturating_mul(each)
    });
    bytes.fold(0, u64::saturating_add)
}

/// A number of bytes for a message.
pub(super) fn bytes_text(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{bytes} bytes"),
        1_000_000..1_000_000_000 => format!("{:.0} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
