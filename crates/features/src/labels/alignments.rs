//! Labelled intervals of many utterances, and the frames they make.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::timing::seconds;
use super::{FrameTiming, LabelError, LabelSet};

/// A stretch of time with a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Where it begins, in nanoseconds.
    pub start: i64,
    /// Where it ends, in nanoseconds.
    pub end: i64,
    /// The number of its label in [`Alignments::names`].
    pub name: u32,
    /// The line it was read from.
    pub line: u32,
}

/// The labelled intervals of a file, by utterance, each in order of time and without overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct Alignments {
    path: PathBuf,
    names: Vec<String>,
    utterances: BTreeMap<String, Vec<Interval>>,
}

impl Alignments {
    /// The names of all labels that occur, in the order in which they do.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The utterances that have labels, in alphabetical order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.utterances.keys().map(String::as_str)
    }

    /// The intervals of an utterance.
    pub fn intervals(&self, id: &str) -> Option<&[Interval]> {
        self.utterances.get(id).map(Vec::as_slice)
    }

    /// The class of every frame of an utterance: that of the interval in which the middle of the frame lies, or the
    /// silence where there is none.
    pub fn frame_labels(
        &self,
        id: &str,
        frames: u32,
        timing: FrameTiming,
        classes: &LabelSet,
    ) -> Result<Vec<i32>, LabelError> {
        let Some(intervals) = self.utterances.get(id) else {
            return Err(LabelError::Unlabelled {
                path: self.path.clone(),
                id: id.to_string(),
            });
        };
        let limit = timing.latest_end(frames);
        let mut labels = vec![classes.silence(); frames as usize];
        let mut rest = (0..frames).zip(&mut labels).peekable();
        for interval in intervals {
            if interval.end > limit {
                return Err(LabelError::PastTheEnd {
                    path: self.path.clone(),
                    line: interval.line,
                    id: id.to_string(),
                    end: seconds(interval.end),
                    frames,
                    limit: seconds(limit),
                });
            }
            let class = self.class_of(interval, classes)?;
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

    fn class_of(&self, interval: &Interval, classes: &LabelSet) -> Result<i32, LabelError> {
        let name = self.names.get(interval.name as usize);
        let name = name.map_or("", String::as_str);
        classes
            .number(name)
            .ok_or_else(|| LabelError::UnknownClass {
                path: self.path.clone(),
                line: interval.line,
                name: name.to_string(),
                classes: classes.names().len(),
            })
    }
}

/// Intervals on their way to [`Alignments`].
pub(super) struct Builder {
    alignments: Alignments,
    numbers: HashMap<String, u32>,
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

    /// Adds an utterance that may have no interval at all.
    pub fn utterance(&mut self, id: &str) {
        if !self.alignments.utterances.contains_key(id) {
            self.alignments
                .utterances
                .insert(id.to_string(), Vec::new());
        }
    }

    /// Adds an interval. One of no duration says nothing about any frame and is dropped.
    pub fn add(&mut self, id: &str, start: i64, end: i64, name: &str, line: u32) {
        self.utterance(id);
        if start == end {
            return;
        }
        let name = match self.numbers.get(name) {
            Some(&number) => number,
            None => {
                let number = self.numbers.len() as u32;
                self.numbers.insert(name.to_string(), number);
                self.alignments.names.push(name.to_string());
                number
            }
        };
        if let Some(intervals) = self.alignments.utterances.get_mut(id) {
            intervals.push(Interval {
                start,
                end,
                name,
                line,
            });
        }
    }

    pub fn finish(mut self) -> Result<Alignments, LabelError> {
        for (id, intervals) in &mut self.alignments.utterances {
            intervals.sort_by_key(|interval| interval.start);
            let overlap = intervals
                .windows(2)
                .find(|pair| pair[1].start < pair[0].end);
            if let Some(pair) = overlap {
                return Err(LabelError::Overlap {
                    path: self.alignments.path.clone(),
                    line: pair[1].line,
                    earlier: pair[0].line,
                    id: id.clone(),
                });
            }
        }
        Ok(self.alignments)
    }
}
