//! NIST's time-marked conversations: `utterance channel start duration label [confidence]`, a line an interval.

use std::path::Path;

use super::alignments::{Alignments, Builder};
use super::error::LabelError;
use super::timing::nanoseconds;
use crate::files::{FileError, lines};

impl Alignments {
    /// Reads a CTM file. Times are seconds from the beginning of the utterance; lines that begin with `;;` are
    /// comments.
    pub fn read_ctm(path: impl AsRef<Path>) -> Result<Self, LabelError> {
        let path = path.as_ref();
        let mut builder = Builder::new(path);
        for line in lines(path)? {
            let (number, line) = line?;
            if line.starts_with(";;") {
                continue;
            }
            let fault = |reason: String| FileError::line(path, number, reason);
            let fields: Vec<&str> = line.split_whitespace().collect();
            let &[id, _channel, start, duration, name, ..] = fields.as_slice() else {
                let reason = "a CTM line is: utterance channel start duration label";
                return Err(fault(reason.into()).into());
            };
            let time = |what: &str, field: &str| {
                field
                    .parse()
                    .ok()
                    .filter(|&seconds: &f64| seconds >= 0.0 && nanoseconds(seconds).is_some())
                    .ok_or_else(|| fault(format!("`{field}` is not a {what} in seconds")))
            };
            // Added before they are rounded: neighbours that meet must not overlap by a rounding.
            let start = time("start", start)?;
            let end = start + time("duration", duration)?;
            let (Some(start), Some(end)) = (nanoseconds(start), nanoseconds(end)) else {
                return Err(fault("an interval that ends after a million hours".into()).into());
            };
            builder.add(id, start, end, name, number);
        }
        Ok(builder.finish()?)
    }
}
