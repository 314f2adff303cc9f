//! A raw corpus, checked and loaded into memory.

use std::collections::HashMap;
use std::path::Path;

use super::files::Files;
use crate::corpus::{Corpus, CorpusError, requested_frames};
use crate::files::{FileError, Limits};
use crate::formats::numbers::{self, Dtype};

/// Features, labels and texts of a raw corpus, in memory.
#[derive(Debug, Default)]
pub struct RawCorpus {
    dims: usize,
    features: Vec<u8>,
    labels: Vec<u8>,
    class_names: Vec<String>,
    ids: Vec<String>,
    texts: HashMap<String, String>,
    starts: Vec<usize>,
    lengths: Vec<u32>,
}

impl RawCorpus {
    /// Reads a folder or a `.tar.xz`, and checks that the files are consistent.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::open_within(path, &Limits::default())
    }

    /// The same with other limits on the unpacked size.
    pub fn open_within(path: impl AsRef<Path>, limits: &Limits) -> Result<Self, FileError> {
        let mut files = Files::read(path.as_ref(), limits)?;
        let (features_name, dims) = files.features()?;
        let mut corpus = RawCorpus {
            dims,
            features: files.bytes(&features_name)?,
            labels: files.bytes("labels.u8")?,
            ..RawCorpus::default()
        };
        let phones = files.text("phones.txt")?;
        corpus.class_names = phones.lines().map(|name| name.trim().into()).collect();
        let index = files.text("index.csv")?;
        corpus.check_sizes(&files, &features_name)?;
        corpus.read_index(&files, &index)?;
        corpus.check_finite(&files, &features_name)?;
        for (number, line) in (1..).zip(files.text("text.tsv")?.lines()) {
            let Some((id, text)) = line.split_once('\t') else {
                let place = format!("text.tsv:{number}");
                return Err(files.fault(&place, "expected id, tab, text"));
            };
            corpus.texts.insert(id.to_string(), text.to_string());
        }
        Ok(corpus)
    }

    fn check_finite(&self, files: &Files, features_name: &str) -> Result<(), FileError> {
        // The exponent of infinity and NaN is all ones.
        const EXPONENT: u16 = 0x7c00;
        let (numbers, _) = self.features.as_chunks::<2>();
        let is_bad = |&number: &[u8; 2]| u16::from_le_bytes(number) & EXPONENT == EXPONENT;
        let Some(bad) = numbers.iter().position(is_bad) else {
            return Ok(());
        };
        let (frame, dimension) = (bad / self.dims, bad % self.dims);
        let reason = format!(
            "frame {frame}, dimension {dimension} is NaN or infinite: features must be finite"
        );
        Err(files.fault(features_name, &reason))
    }

    fn check_sizes(&self, files: &Files, features_name: &str) -> Result<(), FileError> {
        let (dims, labels, bytes) = (self.dims, self.labels.len(), self.features.len());
        let needed = labels.saturating_mul(dims).saturating_mul(2);
        if bytes != needed {
            let reason =
                format!("{bytes} bytes, but {labels} labels with {dims} dimensions need {needed}");
            return Err(files.fault(features_name, &reason));
        }
        let classes = self.class_names.len();
        let mut labels = self.labels.iter().enumerate();
        if let Some((frame, label)) = labels.find(|&(_, &label)| usize::from(label) >= classes) {
            let reason =
                format!("frame {frame} has label {label}, but phones.txt has {classes} classes");
            return Err(files.fault("labels.u8", &reason));
        }
        Ok(())
    }

    fn read_index(&mut self, files: &Files, index: &str) -> Result<(), FileError> {
        let columns = "id,start_frame,n_frames";
        let frames = self.labels.len();
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let mut total = 0;
        let fault =
            |line: usize, reason: String| Err(files.fault(&format!("index.csv:{line}"), &reason));
        if index.lines().next().map(str::trim) != Some(columns) {
            return fault(1, format!("expected the header line {columns}"));
        }
        for (number, line) in (1..).zip(index.lines()).skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let &[id, start, length] = fields.as_slice() else {
                return fault(number, format!("expected {columns}"));
            };
            let (Ok(start), Ok(length)) = (start.parse::<usize>(), length.parse::<u32>()) else {
                return fault(number, format!("expected {columns}"));
            };
            let end = start.checked_add(length as usize);
            if length == 0 || end.is_none_or(|end| end > frames) {
                let reason = format!(
                    "utterance {id}: {length} frames from frame {start}, but the corpus has {frames}"
                );
                return fault(number, reason);
            }
            if let Some(earlier) = seen.insert(id, number) {
                return fault(
                    number,
                    format!("duplicate utterance {id}, already on line {earlier}"),
                );
            }
            total += length as usize;
            if total > frames {
                let reason = format!(
                    "utterances overlap: together they have more frames than the {frames} of the corpus"
                );
                return fault(number, reason);
            }
            self.ids.push(id.to_string());
            self.starts.push(start);
            self.lengths.push(length);
        }
        Ok(())
    }
}

impl Corpus for RawCorpus {
    fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    fn dims(&self) -> usize {
        self.dims
    }

    fn class_names(&self) -> Option<&[String]> {
        Some(&self.class_names)
    }

    fn id(&self, utterance: usize) -> &str {
        self.ids.get(utterance).map_or("", |id| id)
    }

    /// LibriSpeech ids start with the speaker.
    fn speaker(&self, utterance: usize) -> Option<&str> {
        let (speaker, _) = self.id(utterance).split_once('-')?;
        Some(speaker)
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
        let first = self.starts[utterance] + frames.start;
        let row = self.dims * Dtype::F16.size();
        let bytes = &self.features[first * row..(first + frames.len()) * row];
        numbers::load(bytes, Dtype::F16, features);
        for (label, &class) in labels.iter_mut().zip(&self.labels[first..]) {
            *label = i32::from(class);
        }
        Ok(())
    }
}
