//! A Kaldi data folder as a corpus.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::archive::Archive;
use super::matrix;
use super::tables::{Place, read_scp, read_table};
use super::vectors::read_int_vectors;
use crate::corpus::{Corpus, CorpusError, copy_labels, requested_frames, utterance_length};
use crate::files::FileError;
use crate::labels::{CorpusFit, FitCounts, LARGEST_LABEL};

/// The files of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KaldiFiles {
    /// `feats.scp`.
    pub feats: PathBuf,
    /// Alignments with one label per frame: text or binary archives, not compressed.
    pub alignments: Vec<PathBuf>,
    /// `utt2spk`.
    pub utt2spk: Option<PathBuf>,
    /// `text`.
    pub text: Option<PathBuf>,
}

/// A corpus of matrices in Kaldi archives. Opening it reads the header of every matrix, and all alignments.
#[derive(Debug, Default)]
pub struct KaldiCorpus {
    places: Vec<Place>,
    lengths: Vec<u32>,
    dims: usize,
    /// The number of classes, and the labels of every utterance.
    labels: Option<(usize, Vec<Vec<i32>>)>,
    speakers: HashMap<String, String>,
    texts: HashMap<String, String>,
    fits: FitCounts,
}

impl KaldiCorpus {
    /// Opens a corpus. The order is that of `feats.scp`.
    pub fn open(files: &KaldiFiles) -> Result<Self, FileError> {
        let table = |path: &Option<PathBuf>| path.as_ref().map(read_table).transpose();
        let mut corpus = KaldiCorpus {
            places: read_scp(&files.feats)?,
            speakers: table(&files.utt2spk)?.unwrap_or_default(),
            texts: table(&files.text)?.unwrap_or_default(),
            ..KaldiCorpus::default()
        };
        corpus.measure()?;
        if !files.alignments.is_empty() {
            corpus.align(files)?;
        }
        Ok(corpus)
    }

    /// How many alignments matched their features exactly, and how many were one frame off.
    pub fn fits(&self) -> &FitCounts {
        &self.fits
    }

    fn measure(&mut self) -> Result<(), FileError> {
        // Consecutive matrices are usually in the same archive.
        let mut open: Option<Archive> = None;
        for place in &self.places {
            let archive = match open.take() {
                Some(archive) if archive.path == place.path => archive,
                _ => Archive::open(&place.path)?,
            };
            let archive = open.insert(archive);
            archive.seek(place.offset)?;
            let (rows, cols) = matrix::shape(archive)?;
            let refuse = |reason| Err(unusable(&place.path, &place.key, reason));
            let frames = match place.rows {
                None => rows,
                Some((first, last)) if last < rows => last - first + 1,
                Some((_, last)) => {
                    return refuse(format!(
                        "row {last} requested, but the matrix has {rows} rows, numbered from 0"
                    ));
                }
            };
            let Some(frames) = utterance_length(frames).filter(|_| cols > 0) else {
                return refuse(format!("invalid matrix size, {rows} × {cols}"));
            };
            if self.dims != 0 && self.dims != cols {
                let first = self.places.first().map_or("", |place| &place.key);
                return refuse(format!("{cols} dimensions, but {first} has {}", self.dims));
            }
            self.dims = cols;
            self.lengths.push(frames);
        }
        Ok(())
    }

    fn align(&mut self, files: &KaldiFiles) -> Result<(), FileError> {
        let mut found: HashMap<String, (&Path, Vec<i32>)> = HashMap::new();
        for path in &files.alignments {
            for (key, vector) in read_int_vectors(path)? {
                let is_label = |label: &i32| (0..=LARGEST_LABEL).contains(label);
                if let Some(label) = vector.iter().find(|label| !is_label(label)) {
                    let reason =
                        format!("label {label} is out of range, labels are 0 to {LARGEST_LABEL}");
                    return Err(unusable(path, &key, reason));
                }
                if found.contains_key(&key) {
                    return Err(unusable(path, &key, "labelled twice"));
                }
                found.insert(key, (path, vector));
            }
        }
        let mut fit = CorpusFit::default();
        let mut labels = Vec::with_capacity(self.places.len());
        for (place, &frames) in self.places.iter().zip(&self.lengths) {
            let (file, mut vector) = found.remove(&place.key).unwrap_or((&files.feats, vec![]));
            fit.add(file, &place.key, &mut vector, frames);
            labels.push(vector);
        }
        let (classes, fits) = fit.finish()?;
        self.labels = Some((classes, labels));
        self.fits = fits;
        Ok(())
    }
}

/// The error for an invalid utterance.
fn unusable(path: &Path, id: &str, reason: impl std::fmt::Display) -> FileError {
    FileError::content(path, format!("utterance {id}: {reason}"))
}

impl Corpus for KaldiCorpus {
    fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn classes(&self) -> Option<usize> {
        self.labels.as_ref().map(|(classes, _)| *classes)
    }

    fn id(&self, utterance: usize) -> &str {
        self.places.get(utterance).map_or("", |place| &place.key)
    }

    fn speaker(&self, utterance: usize) -> Option<&str> {
        self.speakers.get(self.id(utterance)).map(String::as_str)
    }

    fn text(&self, utterance: usize) -> Option<&str> {
        self.texts.get(self.id(utterance)).map(String::as_str)
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        let frames = requested_frames(self, utterance, start, features, labels)?;
        let place = &self.places[utterance];
        let mut archive = Archive::open(&place.path)?;
        archive.seek(place.offset)?;
        let matrix = matrix::read(&mut archive)?;
        let first_row = place.rows.map_or(0, |(first, _)| first) + frames.start;
        let from = first_row * self.dims;
        let Some(numbers) = matrix.as_slice().get(from..from + features.len()) else {
            let reason = "the archive changed since the corpus was opened: do not modify files while they are in use";
            return Err(unusable(&place.path, &place.key, reason).into());
        };
        if let Some(bad) = numbers.iter().position(|number| !number.is_finite()) {
            let reason = format!(
                "row {}, column {} is {}: features must be finite",
                first_row + bad / self.dims,
                bad % self.dims,
                numbers[bad]
            );
            return Err(unusable(&place.path, &place.key, reason).into());
        }
        features.copy_from_slice(numbers);
        let all = self.labels.as_ref().map(|(_, all)| &all[utterance][..]);
        copy_labels(all, frames, labels);
        Ok(())
    }
}
