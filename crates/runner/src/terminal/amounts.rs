//! Numbers with their unit or noun, for messages and tables.

pub use padwise_report::text::counted as count;

/// A duration for tables and progress lines, never below one second: `45 s`, `13 min`, `3 h 20 min`, `2.5 days`.
pub fn short_duration(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match seconds {
        ..59.5 => format!("{:.0} s", seconds.max(1.0)),
        ..3570.0 => format!("{minutes} min"),
        ..172_800.0 if minutes.is_multiple_of(60) => format!("{} h", minutes / 60),
        ..172_800.0 => format!("{} h {} min", minutes / 60, minutes % 60),
        _ => format!("{:.1} days", seconds / 86_400.0),
    }
}

/// A duration for sentences, in one unit: `40 seconds`, `12 minutes`, `3.5 hours`, `2.1 days`.
pub fn duration(seconds: f64) -> String {
    let rounded = |value: f64| value.round() as u64;
    match seconds {
        ..90.0 => count(rounded(seconds.max(1.0)), "second"),
        ..5400.0 => count(rounded(seconds / 60.0), "minute"),
        ..129_600.0 => format!("{:.1} hours", seconds / 3600.0),
        _ => format!("{:.1} days", seconds / 86_400.0),
    }
}

/// Bytes as MB or GB (10⁶ and 10⁹ bytes).
pub fn memory(bytes: u64) -> String {
    padwise_report::text::memory(bytes as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_fitting_unit() {
        let seconds = [
            0.0, 0.4, 59.4, 59.6, 89.0, 800.0, 3569.0, 3600.0, 12_000.0, 200_000.0,
        ];
        let short = seconds.map(short_duration).join(", ");
        assert_eq!(
            short,
            "1 s, 1 s, 59 s, 1 min, 1 min, 13 min, 59 min, 1 h, 3 h 20 min, 2.3 days"
        );
        let long = seconds.map(duration).join(", ");
        assert_eq!(
            long,
            "1 second, 1 second, 59 seconds, 60 seconds, 89 seconds, 13 minutes, 59 minutes, 60 minutes, 3.3 hours, 2.3 days"
        );
    }
}
