//! A corpus of array files.

use std::fs;
use std::path::{Path, PathBuf};

use super::{NpyArray, NpyError, read_labels};
use crate::corpus::{Corpus, CorpusError, NO_LABEL, requested_frames};
use crate::labels::{FitCounts, Mismatches, fit};

/// One utterance of an [`NpyCorpus`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NpyUtterance {
    /// Its id.
    pub id: String,
    /// The file with its features.
    pub features: PathBuf,
    /// The file with its labels, where it has them.
    pub labels: Option<PathBuf>,
    /// Who speaks, where it is known.
    pub speaker: Option<String>,
    /// What is said, where it is known.
    pub text: Option<String>,
}

/// A corpus of array files, one an utterance. Opening reads headers and labels; features are read when asked for.
#[derive(Debug)]
pub struct NpyCorpus {
    utterances: Vec<NpyUtterance>,
    arrays: Vec<NpyArray>,
    lengths: Vec<u32>,
    dims: usize,
    classes: Option<usize>,
    class_names: Option<Vec<String>>,
    fits: FitCounts,
}

impl NpyCorpus {
    /// The corpus of these utterances. Either all have labels or their labels are not used. Without names there are
    /// as many classes as the largest label needs.
    pub fn open(
        utterances: Vec<NpyUtterance>,
        class_names: Option<Vec<String>>,
    ) -> Result<Self, NpyError> {
        let mut corpus = NpyCorpus {
            arrays: Vec::with_capacity(utterances.len()),
            lengths: Vec::with_capacity(utterances.len()),
            dims: 0,
            classes: None,
            class_names: None,
            fits: FitCounts::default(),
            utterances,
        };
        for utterance in &corpus.utterances {
            let path = &utterance.features;
            let array = NpyArray::open(path)?;
            let frames = u32::try_from(array.rows())
                .ok()
                .filter(|&frames| frames > 0)
                .ok_or_else(|| NpyError::malformed(path, format!("{} frames", array.rows())))?;
            if let (Some(first), Some(of)) = (corpus.arrays.first(), corpus.utterances.first())
                && first.cols() != array.cols()
            {
                return Err(NpyError::Dims {
                    path: path.clone(),
                    found: array.cols(),
                    first: of.features.clone(),
                    expected: first.cols(),
                });
            }
            corpus.dims = array.cols();
            corpus.lengths.push(frames);
            corpus.arrays.push(array);
        }
        if corpus.dims == 0
            && let Some(first) = corpus.utterances.first()
        {
            return Err(NpyError::malformed(&first.features, "frames of 0 numbers"));
        }
        let labelled = corpus
            .utterances
            .iter()
            .filter(|u| u.labels.is_some())
            .count();
        if labelled == corpus.utterances.len() {
            corpus.check_labels(class_names)?;
        } else if let Some(bare) = corpus.utterances.iter().find(|u| u.labels.is_none())
            && labelled > 0
        {
            let reason = format!("it has no labels, and {labelled} others have");
            return Err(NpyError::malformed(&bare.features, reason));
        }
        Ok(corpus)
    }

    /// The corpus of all `.npy` files in a folder, by name: `ID.npy` with labels, where there are, in
    /// `ID.labels.npy`.
    pub fn folder(path: impl AsRef<Path>) -> Result<Self, NpyError> {
        let path = path.as_ref();
        let mut utterances = Vec::new();
        for entry in fs::read_dir(path).map_err(NpyError::io(path))? {
            let file = entry.map_err(NpyError::io(path))?.path();
            let name = file.file_name().and_then(|name| name.to_str());
            let Some(id) = name.and_then(|name| name.strip_suffix(".npy")) else {
                continue;
            };
            if id.ends_with(".labels") {
                continue;
            }
            let labels = path.join(format!("{id}.labels.npy"));
            utterances.push(NpyUtterance {
                id: id.to_string(),
                labels: labels.exists().then_some(labels),
                features: file,
                ..NpyUtterance::default()
            });
        }
        if utterances.is_empty() {
            return Err(NpyError::Empty {
                path: path.to_path_buf(),
            });
        }
        utterances.sort_by(|a, b| a.id.cmp(&b.id));
        Self::open(utterances, None)
    }

    /// How many label files were as long as their features, and how many one frame off.
    pub fn fits(&self) -> &FitCounts {
        &self.fits
    }

    fn check_labels(&mut self, class_names: Option<Vec<String>>) -> Result<(), NpyError> {
        let mut classes = class_names.as_ref().map_or(0, Vec::len);
        let (mut first_bad, mut mismatches) = (None, Vec::new());
        for (utterance, &frames) in self.utterances.iter().zip(&self.lengths) {
            let Some(path) = &utterance.labels else {
                continue;
            };
            let mut labels = read_labels(path)?;
            match fit(&utterance.id, &mut labels, frames) {
                Ok(fitted) => self.fits.count(fitted),
                Err(mismatch) => {
                    first_bad.get_or_insert(path);
                    mismatches.push(mismatch);
                    continue;
                }
            }
            for (frame, &label) in labels.iter().enumerate() {
                if class_names.is_none() {
                    classes = classes.max(label as usize + 1);
                } else if label as usize >= classes {
                    return Err(NpyError::Label {
                        path: path.clone(),
                        frame,
                        value: i64::from(label),
                        range: format!("under {classes}, the number of classes"),
                    });
                }
            }
        }
        if let Some(path) = first_bad {
            return Err(NpyError::Mismatch {
                path: path.clone(),
                mismatches: Mismatches(mismatches),
            });
        }
        self.classes = Some(classes);
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
        self.utterances
            .get(utterance)
            .map_or("", |utterance| &utterance.id)
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
        labels.fill(NO_LABEL);
        if let (Some(_), Some(path)) = (self.classes, &self.utterances[utterance].labels)
            && !labels.is_empty()
        {
            let mut all = read_labels(path)?;
            fit(self.id(utterance), &mut all, self.lengths[utterance]).map_err(|mismatch| {
                NpyError::Mismatch {
                    path: path.clone(),
                    mismatches: Mismatches(vec![mismatch]),
                }
            })?;
            labels.copy_from_slice(&all[frames]);
        }
        Ok(())
    }
}
