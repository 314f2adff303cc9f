//! The labels of a whole corpus, from any of the forms in which aligners leave them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

use super::{Alignments, FrameTiming, LabelError, LabelSet, Mismatch, fit};
use crate::kaldi::{KaldiError, read_int_vectors};
use crate::npy::{NpyError, read_labels};

/// A class for every frame of every utterance that has labels.
#[derive(Clone, Debug)]
pub struct FrameLabels {
    names: Vec<String>,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// Stretches of time: one file for all utterances, or one for each.
    Intervals {
        files: Vec<Alignments>,
        file_of: HashMap<String, usize>,
        classes: LabelSet,
    },
    /// One number a frame.
    Numbers(HashMap<String, Vec<i32>>),
}

/// Labels that cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FrameLabelError {
    /// Intervals are at fault.
    #[error(transparent)]
    Intervals(#[from] LabelError),
    /// The labels are not as many as the frames.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// An archive is at fault.
    #[error(transparent)]
    Kaldi(#[from] KaldiError),
    /// An array file is at fault.
    #[error(transparent)]
    Npy(#[from] NpyError),
    /// A label that is no class.
    #[error("{}: the label of frame {frame} of utterance {id} is {label}: classes count from 0 to 65535", .path.display())]
    NoClass {
        /// The file.
        path: PathBuf,
        /// The utterance.
        id: String,
        /// The frame, from 0.
        frame: usize,
        /// The label.
        label: i32,
    },
    /// An utterance that is labelled twice.
    #[error("{}: utterance {id} is labelled twice", .path.display())]
    Twice {
        /// The file.
        path: PathBuf,
        /// The utterance.
        id: String,
    },
    /// An utterance without labels in a corpus that has them.
    #[error("utterance {id} has no labels")]
    Unlabelled {
        /// The utterance.
        id: String,
    },
    /// A file of a kind that holds no labels.
    #[error("{}: labels are read from .ctm, .TextGrid, .ark and .npy files", .path.display())]
    UnknownForm {
        /// The file.
        path: PathBuf,
    },
    /// Some utterances have intervals and some have numbers.
    #[error("{} and {} are labels of different kinds: use one for the whole corpus", .first.display(), .other.display())]
    Mixed {
        /// A file of one kind.
        first: PathBuf,
        /// A file of the other.
        other: PathBuf,
    },
}

impl FrameLabels {
    /// The labels of a corpus in one file: CTM, or an archive of Kaldi's alignments.
    pub fn read(path: impl AsRef<Path>, silence: &str) -> Result<Self, FrameLabelError> {
        let path = path.as_ref();
        match extension(path).as_str() {
            "ctm" => FrameLabels::intervals(vec![Alignments::read_ctm(path)?], silence),
            "ark" | "ali" => FrameLabels::numbers(
                read_int_vectors(path)?
                    .into_iter()
                    .map(|(id, labels)| (id, path.to_path_buf(), labels)),
            ),
            _ => Err(FrameLabelError::UnknownForm { path: path.into() }),
        }
    }

    /// The labels of a corpus in a file for each utterance: TextGrids, of which `tier` is read, or arrays.
    pub fn read_each<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a Path)>,
        tier: &str,
        silence: &str,
    ) -> Result<Self, FrameLabelError> {
        let files: Vec<(&str, &Path)> = files.into_iter().collect();
        let is_grid = |path: &Path| extension(path) == "textgrid";
        let is_array = |path: &Path| extension(path) == "npy";
        let Some(&(_, first)) = files.first() else {
            return FrameLabels::numbers(std::iter::empty());
        };
        if let Some(&(_, path)) = files.iter().find(|(_, p)| !is_grid(p) && !is_array(p)) {
            return Err(FrameLabelError::UnknownForm { path: path.into() });
        }
        if let Some(&(_, other)) = files.iter().find(|(_, p)| is_grid(p) != is_grid(first)) {
            return Err(FrameLabelError::Mixed {
                first: first.into(),
                other: other.into(),
            });
        }
        if is_grid(first) {
            let grids = files
                .iter()
                .map(|(id, path)| Alignments::read_textgrid(path, id, tier))
                .collect::<Result<_, _>>()?;
            return FrameLabels::intervals(grids, silence);
        }
        let arrays = files
            .iter()
            .map(|&(id, path)| Ok((id.to_string(), path.to_path_buf(), read_labels(path)?)))
            .collect::<Result<Vec<_>, NpyError>>()?;
        FrameLabels::numbers(arrays)
    }

    fn intervals(files: Vec<Alignments>, silence: &str) -> Result<Self, FrameLabelError> {
        let names = files.iter().flat_map(|file| file.names());
        let classes = LabelSet::sorted(names.map(String::as_str), silence)?;
        let file_of = (0..)
            .zip(&files)
            .flat_map(|(number, file)| file.ids().map(move |id| (id.to_string(), number)))
            .collect();
        Ok(FrameLabels {
            names: classes.names().to_vec(),
            form: Form::Intervals {
                files,
                file_of,
                classes,
            },
        })
    }

    fn numbers(
        vectors: impl IntoIterator<Item = (String, PathBuf, Vec<i32>)>,
    ) -> Result<Self, FrameLabelError> {
        let mut by_id = HashMap::new();
        let mut classes = 0;
        for (id, path, labels) in vectors {
            let is_class = |label: &i32| (0..=i32::from(u16::MAX)).contains(label);
            if let Some(frame) = labels.iter().position(|label| !is_class(label)) {
                return Err(FrameLabelError::NoClass {
                    path,
                    id,
                    frame,
                    label: labels[frame],
                });
            }
            classes = labels.iter().fold(classes, |n, &label| n.max(label + 1));
            if by_id.insert(id.clone(), labels).is_some() {
                return Err(FrameLabelError::Twice { path, id });
            }
        }
        Ok(FrameLabels {
            names: (0..classes).map(|class| class.to_string()).collect(),
            form: Form::Numbers(by_id),
        })
    }

    /// The names of the classes, by number: those that intervals carry, in alphabetical order, or plain numbers.
    pub fn class_names(&self) -> &[String] {
        &self.names
    }

    /// The class that fills gaps between stretches of time, by name.
    pub fn silence(&self) -> Option<&str> {
        match &self.form {
            Form::Intervals { classes, .. } => {
                let number = usize::try_from(classes.silence()).ok()?;
                self.names.get(number).map(String::as_str)
            }
            Form::Numbers(_) => None,
        }
    }

    /// A number that changes when the labels of an utterance do; 0 for one without.
    pub fn fingerprint(&self, id: &str) -> u64 {
        let mut hash = Xxh3::new();
        match &self.form {
            Form::Intervals { files, file_of, .. } => {
                let Some(file) = file_of.get(id).and_then(|&number| files.get(number)) else {
                    return 0;
                };
                for interval in file.intervals(id).unwrap_or_default() {
                    hash.update(&interval.start.to_le_bytes());
                    hash.update(&interval.end.to_le_bytes());
                    let name = file.names().get(interval.name as usize);
                    hash.update(name.map_or("", String::as_str).as_bytes());
                }
            }
            Form::Numbers(by_id) => {
                let Some(labels) = by_id.get(id) else {
                    return 0;
                };
                labels
                    .iter()
                    .for_each(|label| hash.update(&label.to_le_bytes()));
            }
        }
        hash.digest()
    }

    /// How many frames before the end of an utterance its last stretch of time ends; what is left is silence.
    pub fn ends_early_by(&self, id: &str, frames: u32, timing: FrameTiming) -> u32 {
        let Form::Intervals { files, file_of, .. } = &self.form else {
            return 0;
        };
        let intervals = file_of
            .get(id)
            .and_then(|&number| files.get(number)?.intervals(id));
        let end = intervals
            .and_then(|all| all.last())
            .map_or(0, |last| last.end);
        (0..frames)
            .rev()
            .take_while(|&frame| timing.middle(frame) >= end)
            .count() as u32
    }

    /// Whether labels are stretches of time, which need to know when frames are.
    pub fn has_times(&self) -> bool {
        matches!(self.form, Form::Intervals { .. })
    }

    /// The class of every frame of one utterance.
    pub fn of(
        &self,
        id: &str,
        frames: u32,
        timing: FrameTiming,
    ) -> Result<Vec<i32>, FrameLabelError> {
        let unlabelled = || FrameLabelError::Unlabelled { id: id.into() };
        match &self.form {
            Form::Intervals {
                files,
                file_of,
                classes,
            } => {
                let file = &files[*file_of.get(id).ok_or_else(unlabelled)?];
                Ok(file.frame_labels(id, frames, timing, classes)?)
            }
            Form::Numbers(by_id) => {
                let mut labels = by_id.get(id).ok_or_else(unlabelled)?.clone();
                fit(id, &mut labels, frames)?;
                Ok(labels)
            }
        }
    }

    /// The utterances with labels that a corpus does not have: a sign that the labels are of another one.
    pub fn strangers<'a>(&'a self, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        let mut left: BTreeSet<&str> = match &self.form {
            Form::Intervals { file_of, .. } => file_of.keys().map(String::as_str).collect(),
            Form::Numbers(by_id) => by_id.keys().map(String::as_str).collect(),
        };
        for id in known {
            left.remove(id);
        }
        left.into_iter().collect()
    }
}

fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_ascii_lowercase()
}
