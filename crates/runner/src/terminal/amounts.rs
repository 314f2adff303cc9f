//! Counts and memory sizes as text: `1 utterance`, `13,100 utterances`, `640 MB`.

use padwise_report::text::with_thousands;

/// A number with its noun, in the singular or the plural: `1 strategy`, `2 strategies`.
pub fn count(number: impl TryInto<u64>, noun: &str) -> String {
    // The callers count things in memory, so every number fits.
    let number = number.try_into().unwrap_or(u64::MAX);
    let digits = with_thousands(&number.to_string());
    if number == 1 {
        return format!("{digits} {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) => format!("{digits} {stem}ies"),
        None if noun.ends_with("tch") || noun.ends_with('s') => format!("{digits} {noun}es"),
        None => format!("{digits} {noun}s"),
    }
}

/// Bytes as MB or GB (10⁶ and 10⁹ bytes).
pub fn memory(bytes: u64) -> String {
    let mb = bytes as f64 / 1e6;
    if mb < 9.95 {
        format!("{mb:.1} MB")
    } else if mb < 999.5 {
        format!("{mb:.0} MB")
    } else {
        format!("{:.2} GB", mb / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!(count(1, "utterance"), "1 utterance");
        assert_eq!(count(13_100, "utterance"), "13,100 utterances");
        assert_eq!(count(0, "strategy"), "0 strategies");
        assert_eq!(count(1, "strategy"), "1 strategy");
        assert_eq!(count(2, "batch"), "2 batches");
        assert_eq!(count(2, "epoch"), "2 epochs");
        assert_eq!(count(2, "class"), "2 classes");
    }

    #[test]
    fn memory_is_in_mb_or_gb() {
        assert_eq!(memory(0), "0.0 MB");
        assert_eq!(memory(1_240_000), "1.2 MB");
        assert_eq!(memory(640_400_000), "640 MB");
        assert_eq!(memory(999_700_000), "1.00 GB");
        assert_eq!(memory(12_345_678_901), "12.35 GB");
    }
}
