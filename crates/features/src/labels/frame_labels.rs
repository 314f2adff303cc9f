//! The labels of a whole corpus, from any supported format.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::alignments::Alignments;
use super::classes::{LARGEST_LABEL, LabelSet};
use super::error::LabelError;
use super::fitting::fit;
use super::timing::{FrameTiming, seconds};
use crate::files::FileError;

/// A class for every frame of every labelled utterance.
#[derive(Clone, Debug)]
pub struct FrameLabels {
    names: Vec<String>,
    form: Form,
    /// Utterances whose label file cannot be read, with the reason.
    unreadable: HashMap<String, String>,
}

#[derive(Clone, Debug)]
enum Form {
    /// Intervals: for each utterance, the file that contains them.
    Intervals {
        files: HashMap<String, Arc<Alignments>>,
        classes: LabelSet,
    },
    /// One class number per frame.
    Numbers(HashMap<String, Vec<i32>>),
}

impl FrameLabels {
    /// Labels given as intervals, in one file for all utterances or one file per utterance.
    pub(crate) fn intervals(files: Vec<Alignments>, silence: &str) -> Result<Self, LabelError> {
        let names = files.iter().flat_map(|file| file.names());
        let classes = LabelSet::sorted(names.map(String::as_str), silence)?;
        let mut by_id = HashMap::new();
        for file in files.into_iter().map(Arc::new) {
            by_id.extend(file.ids().map(|id| (id.to_string(), file.clone())));
        }
        Ok(FrameLabels {
            names: classes.names().to_vec(),
            form: Form::Intervals {
                files: by_id,
                classes,
            },
            unreadable: HashMap::new(),
        })
    }

    /// Labels given as one class number per frame: id, file and labels of each utterance.
    pub(crate) fn numbers(
        vectors: impl IntoIterator<Item = (String, PathBuf, Vec<i32>)>,
    ) -> Result<Self, LabelError> {
        let mut by_id = HashMap::new();
        let mut classes = 0;
        for (id, path, labels) in vectors {
            let is_class = |label: &i32| (0..=LARGEST_LABEL).contains(label);
            if let Some(frame) = labels.iter().position(|label| !is_class(label)) {
                let label = labels[frame];
                let reason = format!(
                    "utterance {id}, frame {frame}: label {label} is out of range, classes are 0 to {LARGEST_LABEL}"
                );
                return Err(FileError::content(&path, reason).into());
            }
            classes = labels.iter().fold(classes, |n, &label| n.max(label + 1));
            if by_id.insert(id.clone(), labels).is_some() {
                let reason = format!("utterance {id} is labelled twice");
                return Err(FileError::content(&path, reason).into());
            }
        }
        Ok(FrameLabels {
            names: (0..classes).map(|class| class.to_string()).collect(),
            form: Form::Numbers(by_id),
            unreadable: HashMap::new(),
        })
    }

    /// Adds utterances whose label file cannot be read: id and reason. [`FrameLabels::of`] returns the reason.
    pub(crate) fn with_unreadable(mut self, utterances: Vec<(String, String)>) -> Self {
        self.unreadable.extend(utterances);
        self
    }

    /// Names of the classes, by number: the labels of the intervals in alphabetical order, or plain numbers.
    pub fn class_names(&self) -> &[String] {
        &self.names
    }

    /// Name of the class for time outside every interval.
    pub fn silence(&self) -> Option<&str> {
        match &self.form {
            Form::Intervals { classes, .. } => {
                let number = usize::try_from(classes.silence()).ok()?;
                self.names.get(number).map(String::as_str)
            }
            Form::Numbers(_) => None,
        }
    }

    /// A hash of the labels of an utterance, which changes when they do; 0 if it has none.
    pub fn fingerprint(&self, id: &str) -> u64 {
        self.digest(id).unwrap_or(0)
    }

    fn digest(&self, id: &str) -> Option<u64> {
        let mut hash = Xxh3::new();
        match &self.form {
            Form::Intervals { files, .. } => {
                let file = files.get(id)?;
                for interval in file.intervals(id)? {
                    hash.update(&interval.start.to_le_bytes());
                    hash.update(&interval.end.to_le_bytes());
                    hash.update(file.names()[interval.name].as_bytes());
                }
            }
            Form::Numbers(by_id) => {
                let labels = by_id.get(id)?.iter();
                labels.for_each(|label| hash.update(&label.to_le_bytes()));
            }
        }
        Some(hash.digest())
    }

    /// Number of frames between the end of the last interval and the end of the utterance, which are labelled silence.
    pub fn ends_early_by(&self, id: &str, frames: u32, timing: FrameTiming) -> u32 {
        let Form::Intervals { files, .. } = &self.form else {
            return 0;
        };
        let end = files.get(id).and_then(|file| file.end(id)).unwrap_or(0);
        let after = |&frame: &u32| timing.middle(frame) >= end;
        (0..frames).rev().take_while(after).count() as u32
    }

    /// End of the last interval of an utterance in seconds; `None` if it has no intervals.
    pub fn end_seconds(&self, id: &str) -> Option<f64> {
        match &self.form {
            Form::Intervals { files, .. } => files.get(id)?.end(id).map(seconds),
            Form::Numbers(_) => None,
        }
    }

    /// Whether labels are intervals, which need a [`FrameTiming`].
    pub fn has_times(&self) -> bool {
        matches!(self.form, Form::Intervals { .. })
    }

    /// The class of every frame of an utterance.
    pub fn of(&self, id: &str, frames: u32, timing: FrameTiming) -> Result<Vec<i32>, LabelError> {
        let unlabelled = || {
            let reason = self.unreadable.get(id).cloned();
            LabelError::Inconsistent(
                reason.unwrap_or_else(|| format!("no labels for utterance {id}")),
            )
        };
        match &self.form {
            Form::Intervals { files, classes } => {
                let file = files.get(id).ok_or_else(unlabelled)?;
                file.frame_labels(id, frames, timing, classes)
            }
            Form::Numbers(by_id) => {
                let mut labels = by_id.get(id).ok_or_else(unlabelled)?.clone();
                fit(id, &mut labels, frames)?;
                Ok(labels)
            }
        }
    }

    /// Ids with labels that are not in `known`: a sign that the labels belong to another corpus.
    pub fn unknown_ids<'a>(&'a self, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        let mut left: BTreeSet<&str> = match &self.form {
            Form::Intervals { files, .. } => files.keys().map(String::as_str).collect(),
            Form::Numbers(by_id) => by_id.keys().map(String::as_str).collect(),
        };
        for id in known {
            left.remove(id);
        }
        left.into_iter().collect()
    }
}
