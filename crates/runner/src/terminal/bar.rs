//! The style of progress bars: position, rate and time left.

use std::fmt::Write;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use padwise_report::text::NOTHING;

use super::short_duration;

/// A bar that counts `things`, with their rate and the time left.
pub(super) fn counting_bar(length: u64, things: &str) -> ProgressBar {
    let template =
        format!("{{bar:30}} {{pos}}/{{len}} {things}, {{rate}}/s, {{left}} left  {{wide_msg}}");
    styled(length, &template)
}

pub(super) fn styled(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    // Writing to a string cannot fail.
    let rate = |state: &ProgressState, text: &mut dyn Write| {
        let _ = text.write_str(&rate_text(state.per_sec()));
    };
    let left = |state: &ProgressState, text: &mut dyn Write| {
        let _ = text.write_str(&left_text(state.pos(), state.eta().as_secs_f64()));
    };
    let style = style.with_key("rate", rate).with_key("left", left);
    ProgressBar::new(length).with_style(style)
}

/// Things per second.
pub(super) fn rate_text(per_second: f64) -> String {
    match per_second {
        ..10.0 => format!("{per_second:.1}"),
        _ => format!("{per_second:.0}"),
    }
}

/// The time left; a dash until the first thing is done, and never zero.
pub(super) fn left_text(position: u64, seconds: f64) -> String {
    match position {
        0 => NOTHING.into(),
        _ => short_duration(seconds),
    }
}
