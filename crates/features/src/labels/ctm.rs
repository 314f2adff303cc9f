//! NIST's CTM files: one interval per line, `utterance channel start duration label [confidence]`.

use std::path::Path;

use super::alignments::{Alignments, Builder};
use super::error::LabelError;
use super::timing::nanoseconds;
use crate::files::{FileError, lines};
use padwise_sampler::excerpt::excerpt;

impl Alignments {
    /// Reads a CTM file. Times are in seconds from the start of the utterance. Lines that start with `;;` are comments.
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
                let reason = "expected: utterance channel start duration label";
                return Err(fault(reason.into()).into());
            };
            // A start may be slightly negative because of rounding; how much depends on the hop, which is unknown here.
            let time = |what: &str, field: &str, least: f64| {
                field
                    .parse()
                    .ok()
                    .filter(|&seconds: &f64| seconds >= least && nanoseconds(seconds).is_some())
                    .ok_or_else(|| {
                        fault(format!(
                            "invalid {what} `{}`: expected seconds",
                            excerpt(field)
                        ))
                    })
            };
            // Added before rounding, so that adjacent intervals do not overlap by a rounding error.
            let start = time("start", start, f64::MIN)?;
            let end = start + time("duration", duration, 0.0)?;
            let (Some(start), Some(end)) = (nanoseconds(start), nanoseconds(end)) else {
                return Err(fault("the interval ends after a million hours".into()).into());
            };
            builder.add(id, start, end, name, number);
        }
        Ok(builder.finish())
    }
}
