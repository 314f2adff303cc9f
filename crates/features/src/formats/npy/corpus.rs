//! A corpus of array files.

use std::path::{Path, PathBuf};

use super::array::{NpyArray, no_label, read_labels};
use crate::corpus::{Corpus, CorpusError, copy_labels, requested_frames, utterance_length};
use crate::files::{self, FileError};
use crate::labels::CorpusFit;

/// One utterance of an [`NpyCorpus`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NpyUtterance {
    /// Id of the utterance.
    pub id: String,
    /// File with its features.
    pub features: PathBuf,
    /// File with its labels, if any.
    pub labels: Option<PathBuf>,
    /// Speaker, if known.
    pub speaker: Option<String>,
    /// Transcript, if known.
    pub text: Option<String>,
}

/// A corpus of array files, one per utterance. Opening it reads headers and labels; features are read on demand.
#[derive(Debug, Default)]
pub struct NpyCorpus {
    utterances: Vec<NpyUtterance>,
    arrays: Vec<NpyArray>,
    lengths: Vec<u32>,
    dims: usize,
    classes: Option<usize>,
    class_names: Option<Vec<String>>,
}

impl NpyCorpus {
    /// Opens these utterances. Either all have labels or none. Without `class_names`, the largest label determines the
    /// number of classes.
    pub fn open(
        utterances: Vec<NpyUtterance>,
        class_names: Option<Vec<String>>,
    ) -> Result<Self, FileError> {
        let mut corpus = NpyCorpus {
            utterances,
            ..NpyCorpus::default()
        };
        corpus.measure()?;
        let without = corpus.utterances.iter().filter(|u| u.labels.is_none());
        let labelled = corpus.utterances.len() - without.clone().count();
        match without.clone().next() {
            None => corpus.check_labels(class_names)?,
            Some(bare) if labelled > 0 => {
                let reason = format!(
                    "no labels, but {labelled} others have labels: label all utterances or none"
                );
                return Err(FileError::content(&bare.features, reason));
            }
            Some(_) => {}
        }
        Ok(corpus)
    }

    /// Opens all `.npy` files in a folder, sorted by name: features in `ID.npy`, labels, if any, in `ID.labels.npy`.
    pub fn folder(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let mut utterances = Vec::new();
        for file in files::sorted_entries(path)? {
            let name = file.file_name().and_then(|name| name.to_str());
            let id = name.and_then(|name| name.strip_suffix(".npy"));
            if let Some(id) = id.filter(|id| !id.ends_with(".labels")) {
                let labels = path.join(format!("{id}.labels.npy"));
                utterances.push(NpyUtterance {
                    id: id.to_string(),
                    labels: labels.exists().then_some(labels),
                    features: file,
                    ..NpyUtterance::default()
                });
            }
        }
        if utterances.is_empty() {
            return Err(FileError::content(path, "no .npy files in this folder"));
        }
        utterances.sort_by(|a, b| a.id.cmp(&b.id));
        Self::open(utterances, None)
    }

    fn measure(&mut self) -> Result<(), FileError> {
        for utterance in &self.utterances {
            let path = &utterance.features;
            let array = NpyArray::open(path)?;
            let (rows, cols) = (array.rows(), array.cols());
            let refuse = |reason: String| Err(FileError::content(path, reason));
            let Some(frames) = utterance_length(rows) else {
                return refuse(format!("{rows} frames: must be from 1 to 4294967295"));
            };
            if !self.arrays.is_empty() && cols != self.dims {
                let (dims, first) = (self.dims, self.utterances[0].features.display());
                return refuse(format!("{cols} dimensions, but {first} has {dims}"));
            }
            self.dims = cols;
            self.lengths.push(frames);
            self.arrays.push(array);
        }
        match self.utterances.first() {
            Some(first) if self.dims == 0 => {
                Err(FileError::content(&first.features, "0 dimensions"))
            }
            _ => Ok(()),
        }
    }

    fn check_labels(&mut self, class_names: Option<Vec<String>>) -> Result<(), FileError> {
        let named = class_names.as_ref().map(Vec::len);
        let mut fit = CorpusFit::default();
        for (utterance, &frames) in self.utterances.iter().zip(&self.lengths) {
            let Some(path) = &utterance.labels else {
                continue;
            };
            let mut labels = read_labels(path)?;
            if fit.add(path, &utterance.id, &mut labels, frames)
                && let Some(classes) = named
                && let Some(frame) = labels.iter().position(|&label| label as usize >= classes)
            {
                let range = format!("below {classes}, the number of classes");
                return Err(no_label(path, frame, labels[frame].into(), &range));
            }
        }
        let (classes, _) = fit.finish()?;
        self.classes = Some(named.unwrap_or(classes));
        self.class_names = class_names;
        Ok(())
    }
}

impl Corpus for NpyCorpus {
    fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn classes(&self) -> Option<usize> {
        self.classes
    }

    fn class_names(&self) -> Option<&[String]> {
        self.class_names.as_deref()
    }

    fn id(&self, utterance: usize) -> &str {
        let known = self.utterances.get(utterance);
        known.map_or("", |utterance| &utterance.id)
    }

    fn speaker(&self, utterance: usize) -> Option<&str> {
        self.utterances.get(utterance)?.speaker.as_deref()
    }

    fn text(&self, utterance: usize) -> Option<&str> {
        self.utterances.get(utterance)?.text.as_deref()
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        let frames = requested_frames(self, utterance, start, features, labels)?;
        self.arrays[utterance].read_rows(frames.clone(), features)?;
        let file = self.utterances[utterance].labels.as_ref();
        let all = match file.filter(|_| self.classes.is_some() && !labels.is_empty()) {
            None => None,
            Some(path) => {
                let mut all = read_labels(path)?;
                let mut fit = CorpusFit::default();
                fit.add(path, self.id(utterance), &mut all, self.lengths[utterance]);
                fit.finish()?;
                Some(all)
            }
        };
        copy_labels(all.as_deref(), frames, labels);
        Ok(())
    }
}
