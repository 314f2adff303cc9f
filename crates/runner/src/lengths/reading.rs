//! The lengths read from a file so far.

use padwise_sampler::excerpt::excerpt;

use super::LengthsError;
use super::id_column::IdReading;
use super::ids::Ids;
use super::selection::{Selection, Unit};
use crate::terminal::count;

/// The lengths read from a file, and how they were read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub frames: Vec<u32>,
    /// Utterances that are too short for a frame.
    too_short: usize,
    /// The column, if there are columns.
    pub column: Option<String>,
    in_seconds: bool,
    /// The ids, if they are wanted.
    pub ids: Option<IdReading>,
}

impl Reading {
    pub fn new(column: Option<&str>, unit: Unit) -> Self {
        Reading {
            column: column.map(String::from),
            in_seconds: unit == Unit::Seconds,
            ..Reading::default()
        }
    }

    /// Adds the length in a row. Returns false if the utterance is too short, and skipped.
    pub fn add(&mut self, text: &str, selection: &Selection) -> Result<bool, String> {
        let unit = if self.in_seconds {
            Unit::Seconds
        } else {
            Unit::Frames
        };
        match selection.frames(text, unit)? {
            Some(frames) => {
                self.frames.push(frames);
                Ok(true)
            }
            None => {
                self.too_short += 1;
                Ok(false)
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.too_short == 0
    }

    /// Fails if no utterance is long enough.
    pub fn finish(self, file: &str, selection: &Selection) -> Result<Self, LengthsError> {
        if !self.frames.is_empty() {
            return Ok(self);
        }
        let problem = format!(
            ": no utterance is long enough for a frame of {}; are the lengths in seconds?",
            selection.counter.name
        );
        Err(LengthsError::file(file, problem))
    }

    /// Takes the ids, with a note for the user. Without columns, numbered rows need no note.
    pub fn take_ids(&mut self, file: &str) -> Result<(Ids, Option<String>), LengthsError> {
        let Some(ids) = self.ids.take() else {
            return Ok((Ids::Positions, None));
        };
        let (ids, note) = ids.finish(file)?;
        Ok((ids, note.filter(|_| self.column.is_some())))
    }

    /// How the lengths were read, for captions.
    pub fn caption(&self, selection: &Selection) -> String {
        let column = self.column.as_deref();
        let column = column.map(|name| format!(", column {}", excerpt(name)));
        let column = column.unwrap_or_default();
        if self.in_seconds {
            let front_end = &selection.counter.name;
            format!("{column} (seconds, as frames of {front_end})")
        } else {
            column
        }
    }

    /// What the user should know: how seconds were converted, and what was skipped.
    pub fn notes(&self, selection: &Selection) -> Vec<String> {
        let mut notes = Vec::new();
        let front_end = &selection.counter.name;
        if let Some(column) = &self.column
            && self.in_seconds
            && !selection.in_seconds
        {
            notes.push(format!(
                "lengths are from column `{}` in seconds, as frames of {front_end}; --features and --hop change it",
                excerpt(column)
            ));
        }
        if self.too_short > 0 {
            let utterances = count(self.too_short, "utterance");
            notes.push(format!(
                "skipped {utterances} too short for a frame of {front_end}; `prepare` refuses them"
            ));
        }
        notes
    }
}
