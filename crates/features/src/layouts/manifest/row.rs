//! A row of a manifest, from either format.

use std::path::Path;

use padwise_sampler::excerpt::excerpt;

use super::columns::{COLUMNS, Column};
use crate::layouts::segment::Segment;

/// The values of a row that are used. Empty values are missing values.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub line: u64,
    /// Whether there is an `id`, even an empty one.
    pub has_id: bool,
    values: [Option<String>; COLUMNS],
}

impl Row {
    pub fn new(line: u64) -> Self {
        Row {
            line,
            ..Row::default()
        }
    }

    pub fn set(&mut self, column: Column, value: &str) {
        let value = value.trim();
        self.has_id |= column == Column::Id;
        self.values[column as usize] = (!value.is_empty()).then(|| value.to_string());
    }

    pub fn take(&mut self, column: Column) -> Option<String> {
        self.values[column as usize].take()
    }

    /// The part of the file to use, if the row has a start.
    pub fn segment(&self) -> Result<Option<Segment>, String> {
        let start = self.seconds(Column::Start, "start")?;
        let duration = self.seconds(Column::Duration, "duration")?;
        let Some(start) = start else {
            return Ok(None);
        };
        let duration = duration.ok_or("a start without a `duration`: add it, in seconds")?;
        let segment = Segment::new(start, duration);
        let segment = segment.ok_or_else(|| {
            format!(
                "start {start} s and duration {duration} s: the start must be at least 0 and the duration above 0"
            )
        })?;
        Ok(Some(segment))
    }

    fn seconds(&self, column: Column, name: &str) -> Result<Option<f64>, String> {
        let Some(text) = &self.values[column as usize] else {
            return Ok(None);
        };
        let number = text
            .parse()
            .ok()
            .filter(|seconds: &f64| seconds.is_finite());
        let number = number.ok_or_else(|| {
            format!(
                "the {name} is `{}`: it must be a number of seconds",
                excerpt(text)
            )
        })?;
        Ok(Some(number))
    }
}

/// The id of a row without one: the path below the folder without its extension. A segment adds its start and end in
/// milliseconds.
pub(super) fn default_id(audio: &str, segment: Option<Segment>, folder: &Path) -> String {
    let path = Path::new(audio);
    let path = path.strip_prefix(folder).unwrap_or(path).with_extension("");
    let path = path.to_string_lossy();
    let path = path.strip_prefix("./").unwrap_or(&path);
    match segment {
        None => path.to_string(),
        Some(segment) => {
            let start = segment.start().as_millis();
            let end = start + segment.duration().as_millis();
            format!("{path}-{start:07}-{end:07}")
        }
    }
}
