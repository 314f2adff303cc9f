//! Labelled intervals of many utterances, and their conversion to frame labels.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::classes::LabelSet;
use super::error::LabelError;
use super::timing::{FrameTiming, seconds};
use crate::files::FileError;
use padwise_sampler::excerpt::excerpt;

/// An interval with a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedLabel {
    /// Start in nanoseconds.
    pub start: i64,
    /// End in nanoseconds.
    pub end: i64,
    /// Index of its label in [`Alignments::names`].
    pub name: usize,
    /// Line number in the file.
    pub line: u64,
}

/// The labelled intervals of a file by utterance, sorted by start. [`Alignments::frame_labels`] refuses overlaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignments {
    path: PathBuf,
    names: Vec<String>,
    utterances: BTreeMap<String, Vec<TimedLabel>>,
}

impl Alignments {
    /// Names of all labels, in order of first occurrence.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Ids of the utterances with labels, in alphabetical order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.utterances.keys().map(String::as_str)
    }

    /// Intervals of an utterance.
    pub fn intervals(&self, id: &str) -> Option<&[TimedLabel]> {
        self.utterances.get(id).map(Vec::as_slice)
    }

    /// End of the last interval of an utterance, in nanoseconds; `None` if it has no interval.
    pub(super) fn end(&self, id: &str) -> Option<i64> {
        self.intervals(id)?
            .iter()
            .map(|interval| interval.end)
            .max()
    }

    /// The class of every frame of an utterance: the label of the interval that contains the middle of the frame, or
    /// silence if there is none.
    ///
    /// Tools round times, so less than half a hop of overlap, of negative time or of time after the end is not an error.
    pub fn frame_labels(
        &self,
        id: &str,
        frames: u32,
        timing: FrameTiming,
        classes: &LabelSet,
    ) -> Result<Vec<i32>, LabelError> {
        let Some(intervals) = self.intervals(id) else {
            let reason = format!("no labels for utterance {id}");
            return Err(FileError::content(&self.path, reason).into());
        };
        let (limit, rounding) = (timing.latest_end(frames), timing.rounding());
        let mut covered: Option<&TimedLabel> = None;
        let mut labels = vec![classes.silence(); frames as usize];
        let mut rest = (0..frames).zip(&mut labels).peekable();
        for interval in intervals {
            let fault = |reason: String| FileError::line(&self.path, interval.line, reason);
            if interval.end.saturating_sub(limit) >= rounding {
                let (end, limit) = (seconds(interval.end), seconds(limit));
                return Err(fault(format!(
                    "utterance {id}: labels end at {end:.3} s, but its {frames} frames end at {limit:.3} s: check that both belong together"
                )).into());
            }
            if interval.start <= -rounding {
                let start = seconds(interval.start);
                return Err(fault(format!(
                    "utterance {id}: the interval starts at {start:.3} s: times must not be negative"
                ))
                .into());
            }
            if let Some(earlier) = covered
                && earlier.end.min(interval.end) - interval.start >= rounding
            {
                let overlap = seconds(earlier.end.min(interval.end) - interval.start);
                return Err(fault(format!(
                    "utterance {id}: the interval overlaps the one on line {} by {overlap:.3} s",
                    earlier.line
                ))
                .into());
            }
            if covered.is_none_or(|earlier| earlier.end < interval.end) {
                covered = Some(interval);
            }
            let name = &self.names[interval.name];
            let class = classes.number(name).ok_or_else(|| {
                let classes = classes.names().len();
                fault(format!(
                    "unknown label `{}`: not one of the {classes} classes",
                    excerpt(name)
                ))
            })?;
            while let Some((frame, label)) =
                rest.next_if(|(frame, _)| timing.middle(*frame) < interval.end)
            {
                if timing.middle(frame) >= interval.start {
                    *label = class;
                }
            }
        }
        Ok(labels)
    }
}

/// Builds [`Alignments`].
pub(super) struct Builder {
    alignments: Alignments,
    numbers: HashMap<String, usize>,
}

impl Builder {
    pub fn new(path: &Path) -> Self {
        Builder {
            alignments: Alignments {
                path: path.to_path_buf(),
                names: Vec::new(),
                utterances: BTreeMap::new(),
            },
            numbers: HashMap::new(),
        }
    }

    /// The intervals of an utterance. Registers the utterance even if it has none.
    pub fn utterance(&mut self, id: &str) -> &mut Vec<TimedLabel> {
        let utterances = &mut self.alignments.utterances;
        utterances.entry(id.to_string()).or_default()
    }

    /// Adds an interval. Empty intervals are dropped because they contain no frame.
    pub fn add(&mut self, id: &str, start: i64, end: i64, name: &str, line: u64) {
        if start == end {
            self.utterance(id);
            return;
        }
        let next = self.numbers.len();
        let name = *self
            .numbers
            .entry(name.to_string())
            .or_insert_with_key(|name| {
                self.alignments.names.push(name.clone());
                next
            });
        self.utterance(id).push(TimedLabel {
            start,
            end,
            name,
            line,
        });
    }

    pub fn finish(mut self) -> Alignments {
        for intervals in self.alignments.utterances.values_mut() {
            intervals.sort_by_key(|interval| interval.start);
        }
        self.alignments
    }
}
