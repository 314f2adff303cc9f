//! A data folder of Kaldi's as a corpus.

use std::collections::HashMap;
use std::path::PathBuf;

use super::ark::Ark;
use super::{KaldiError, Place, matrix, read_int_vectors, read_scp, read_table};
use crate::corpus::{Corpus, CorpusError, NO_LABEL, requested_frames};
use crate::labels::{FitCounts, Mismatches, fit};

/// The files of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KaldiFiles {
    /// `feats.scp`.
    pub feats: PathBuf,
    /// Alignments, one label a frame: archives, text or binary, not compressed.
    pub alignments: Vec<PathBuf>,
    /// `utt2spk`.
    pub utt2spk: Option<PathBuf>,
    /// `text`.
    pub text: Option<PathBuf>,
}

/// A corpus of matrices in Kaldi's archives. Opening reads the head of every matrix, and all alignments.
#[derive(Debug)]
pub struct KaldiCorpus {
    places: Vec<Place>,
    lengths: Vec<u32>,
    dims: usize,
    labels: Option<Vec<Vec<i32>>>,
    classes: Option<usize>,
    speakers: HashMap<String, String>,
    texts: HashMap<String, String>,
    fits: FitCounts,
}

impl KaldiCorpus {
    /// Opens a corpus, in the order of its `feats.scp`.
    pub fn open(files: &KaldiFiles) -> Result<Self, KaldiError> {
        let places = read_scp(&files.feats)?;
        let table = |path: &Option<PathBuf>| path.as_ref().map(read_table).transpose();
        let mut corpus = KaldiCorpus {
            lengths: Vec::with_capacity(places.len()),
            places,
            dims: 0,
            labels: None,
            classes: None,
            speakers: table(&files.utt2spk)?.unwrap_or_default(),
            texts: table(&files.text)?.unwrap_or_default(),
            fits: FitCounts::default(),
        };
        corpus.measure()?;
        if !files.alignments.is_empty() {
            corpus.align(files)?;
        }
        Ok(corpus)
    }

    /// How many alignments were as long as their features, and how many one frame off.
    pub fn fits(&self) -> &FitCounts {
        &self.fits
    }

    fn measure(&mut self) -> Result<(), KaldiError> {
        // Consecutive matrices are mostly in the same archive.
        let mut open: Option<Ark> = None;
        for place in &self.places {
            let mut ark = match open.take() {
                Some(ark) if ark.path() == place.path => ark,
                _ => Ark::open(&place.path)?,
            };
            ark.seek(place.offset)?;
            let (rows, cols) = matrix::shape(&mut ark)?;
            let refuse = |reason| KaldiError::Utterance {
                path: place.path.clone(),
                id: place.key.clone(),
                reason,
            };
            let frames = match place.rows {
                None => rows,
                Some((first, last)) if last < rows => last - first + 1,
                Some((_, last)) => {
                    return Err(refuse(format!("row {last} of a matrix of {rows}")));
                }
            };
            let frames = u32::try_from(frames)
                .ok()
                .filter(|&frames| frames > 0 && cols > 0)
                .ok_or_else(|| refuse(format!("a matrix of {rows} by {cols}")))?;
            if self.dims != 0 && self.dims != cols {
                let first = self.places.first().map_or("", |place| &place.key);
                return Err(refuse(format!(
                    "frames of {cols} numbers, and {first} has frames of {}",
                    self.dims
                )));
            }
            self.dims = cols;
            self.lengths.push(frames);
            open = Some(ark);
        }
        Ok(())
    }

    fn align(&mut self, files: &KaldiFiles) -> Result<(), KaldiError> {
        let mut found: HashMap<String, (usize, Vec<i32>)> = HashMap::new();
        for (file, path) in files.alignments.iter().enumerate() {
            for (key, vector) in read_int_vectors(path)? {
                let refuse = |reason: String| KaldiError::Utterance {
                    path: path.clone(),
                    id: key.clone(),
                    reason,
                };
                if let Some(label) = vector
                    .iter()
                    .find(|&&l| !(0..=i32::from(u16::MAX)).contains(&l))
                {
                    return Err(refuse(format!("label {label}: labels are from 0 to 65535")));
                }
                if found.contains_key(&key) {
                    return Err(refuse("it is labelled twice".into()));
                }
                found.insert(key, (file, vector));
            }
        }
        let mut labels = Vec::with_capacity(self.places.len());
        let mut classes = 0;
        let (mut first_bad, mut mismatches) = (None, Vec::new());
        for (place, &frames) in self.places.iter().zip(&self.lengths) {
            let (file, mut vector) = match found.remove(&place.key) {
                Some((file, vector)) => (&files.alignments[file], vector),
                None => (&files.feats, Vec::new()),
            };
            match fit(&place.key, &mut vector, frames) {
                Ok(fitted) => self.fits.count(fitted),
                Err(mismatch) => {
                    first_bad.get_or_insert(file);
                    mismatches.push(mismatch);
                    continue;
                }
            }
            for &label in &vector {
                let label = usize::try_from(label).map_err(|_| KaldiError::Utterance {
                    path: file.clone(),
                    id: place.key.clone(),
                    reason: format!("label {label}: labels are at least 0"),
                })?;
                classes = classes.max(label + 1);
            }
            labels.push(vector);
        }
        if let Some(path) = first_bad {
            return Err(KaldiError::Mismatch {
                path: path.clone(),
                mismatches: Mismatches(mismatches),
            });
        }
        self.labels = Some(labels);
        self.classes = Some(classes);
        Ok(())
    }
}

impl Corpus for KaldiCorpus {
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
        None
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
        let mut ark = Ark::open(&place.path)?;
        ark.seek(place.offset)?;
        let matrix = matrix::read(&mut ark)?;
        let first = place.rows.map_or(0, |(first, _)| first);
        let from = (first + frames.start) * self.dims;
        // The archive may have changed since it was opened.
        let changed = || KaldiError::Utterance {
            path: place.path.clone(),
            id: place.key.clone(),
            reason: "the archive changed since the corpus was opened".into(),
        };
        let numbers = matrix
            .as_slice()
            .get(from..from + features.len())
            .ok_or_else(changed)?;
        if let Some(bad) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(KaldiError::Utterance {
                path: place.path.clone(),
                id: place.key.clone(),
                reason: format!(
                    "row {}, column {} is {}: features must be finite",
                    first + frames.start + bad / self.dims,
                    bad % self.dims,
                    numbers[bad]
                ),
            }
            .into());
        }
        features.copy_from_slice(numbers);
        match &self.labels {
            Some(all) if !labels.is_empty() => labels.copy_from_slice(&all[utterance][frames]),
            _ => labels.fill(NO_LABEL),
        }
        Ok(())
    }
}
