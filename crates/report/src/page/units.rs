//! Quantities as the page prints them.

use crate::text::rounded;

/// Utterances per second, to three digits or whole numbers.
pub(super) fn throughput(utterances_per_second: f64) -> String {
    let decimals = match utterances_per_second {
        speed if speed >= 100.0 => 0,
        speed if speed >= 10.0 => 1,
        _ => 2,
    };
    rounded(utterances_per_second, decimals)
}

/// Memory in MB below 1 GB, in GB from there on (10⁶ and 10⁹ bytes).
pub(super) fn memory(gb: f64) -> String {
    match gb {
        gb if gb >= 0.9995 => format!("{} GB", rounded(gb, 2)),
        gb if gb >= 0.00995 => format!("{} MB", rounded(1000.0 * gb, 0)),
        _ => format!("{} MB", rounded(1000.0 * gb, 1)),
    }
}

/// A count with its noun: `1 seed`, `3 seeds`, `2 strategies`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_size() {
        let speeds = [1586.6, 708.9, 75.13, 7.034].map(throughput);
        assert_eq!(speeds, ["1,587", "709", "75.1", "7.03"]);
        let sizes = [12.0, 3.998, 0.9999, 0.649, 0.0601, 0.0042].map(memory);
        assert_eq!(
            sizes,
            [
                "12.00 GB", "4.00 GB", "1.00 GB", "649 MB", "60 MB", "4.2 MB"
            ]
        );
    }

    #[test]
    fn plurals() {
        assert_eq!(counted(1, "seed"), "1 seed");
        assert_eq!(counted(3, "seed"), "3 seeds");
        assert_eq!(counted(2, "strategy"), "2 strategies");
    }
}
