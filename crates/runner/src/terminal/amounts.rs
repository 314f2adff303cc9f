//! Numbers with their unit or noun, for messages and tables.

pub use padwise_report::text::counted as count;

/// Bytes as MB or GB (10⁶ and 10⁹ bytes).
pub fn memory(bytes: u64) -> String {
    padwise_report::text::memory(bytes as f64 / 1e9)
}
