//! Reports the utterances that training skips because they are too short for their target.

use tracing::info;

use crate::corpora::TooShort;
use crate::terminal::{count, first_names, say};

/// Utterances that the message names. The log has all of them.
const NAMED: usize = 10;

/// Prints the skipped utterances, if there are any.
pub(super) fn report(too_short: &[TooShort]) {
    if too_short.is_empty() {
        return;
    }
    let (are, their) = match too_short.len() {
        1 => ("is", "its target"),
        _ => ("are", "their targets"),
    };
    say(format!(
        "skipped {} that {are} too short for {their}: {}",
        count(too_short.len(), "utterance"),
        first_names(too_short.iter().map(describe), NAMED, ", ")
    ));
}

/// Writes all skipped utterances to the log.
pub(super) fn log(too_short: &[TooShort]) {
    for utterance in too_short {
        info!(
            id = utterance.id,
            frames = utterance.frames,
            needed = utterance.needed,
            "skipped: too short for its target"
        );
    }
}

fn describe(utterance: &TooShort) -> String {
    let TooShort { id, frames, needed } = utterance;
    format!("{id} ({}, needs {needed})", count(*frames, "frame"))
}
