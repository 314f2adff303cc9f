//! NIST's time-marked conversations: `utterance channel start duration label [confidence]`, a line an interval.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::alignments::Builder;
use super::timing::nanoseconds;
use super::{Alignments, LabelError};

impl Alignments {
    /// Reads a CTM file. Times are seconds from the beginning of the utterance; lines that begin with `;;` are
    /// comments.
    pub fn read_ctm(path: impl AsRef<Path>) -> Result<Self, LabelError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(LabelError::io(path))?;
        let mut builder = Builder::new(path);
        for (number, line) in (1..).zip(BufReader::new(file).lines()) {
            let line = line.map_err(|error| LabelError::line(path, number, error.to_string()))?;
            if line.trim().is_empty() || line.starts_with(";;") {
                continue;
            }
            let fault = |reason: String| LabelError::line(path, number, reason);
            let mut fields = line.split_whitespace();
            let (Some(id), Some(_channel), Some(start), Some(duration), Some(name)) = (
                fields.next(),
                fields.next(),
                fields.next(),
                fields.next(),
                fields.next(),
            ) else {
                return Err(fault(
                    "a CTM line is: utterance channel start duration label".into(),
                ));
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
                return Err(fault("an interval that ends after a million hours".into()));
            };
            builder.add(id, start, end, name, number);
        }
        builder.finish()
    }
}
