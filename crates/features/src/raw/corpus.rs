//! A raw corpus, read and checked.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::RawError;
use super::files::Files;
use crate::corpus::{Corpus, CorpusError, requested_frames};
use crate::pack::{Dtype, load_numbers};

/// Features, labels and texts of a raw corpus, in memory.
#[derive(Debug)]
pub struct RawCorpus {
    dims: usize,
    features: Vec<u8>,
    labels: Vec<u8>,
    class_names: Vec<String>,
    ids: Vec<String>,
    texts: Vec<Option<String>>,
    starts: Vec<usize>,
    lengths: Vec<u32>,
}

impl RawCorpus {
    /// Reads a folder or a `.tar.xz`, and checks that its files fit together.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RawError> {
        let path = path.as_ref();
        let files = Files::read(path)?;
        let check = Check {
            path: path.to_path_buf(),
        };
        let missing = |file: &str| check.file(file, "not there");
        let (dims, features) = files.features.ok_or_else(|| missing("featN.f16le"))?;
        let labels = files.labels.ok_or_else(|| missing("labels.u8"))?;
        let phones = files.phones.ok_or_else(|| missing("phones.txt"))?;
        let index = files.index.ok_or_else(|| missing("index.csv"))?;
        let class_names: Vec<String> = phones.lines().map(|name| name.trim().into()).collect();
        check.sizes(dims, &features, &labels, class_names.len())?;
        let mut corpus = RawCorpus {
            dims,
            features,
            labels,
            class_names,
            ids: Vec::new(),
            texts: Vec::new(),
            starts: Vec::new(),
            lengths: Vec::new(),
        };
        corpus.read_index(&check, &index)?;
        let mut texts: HashMap<&str, &str> = HashMap::new();
        for (number, line) in (1..).zip(files.text.as_deref().unwrap_or_default().lines()) {
            let Some((id, text)) = line.split_once('\t') else {
                return Err(check.line("text.tsv", number, "a line is: id, tab, text".into()));
            };
            texts.insert(id, text);
        }
        let texts = corpus.ids.iter().map(|id| texts.get(id.as_str()));
        corpus.texts = texts
            .map(|text| text.map(|text| text.to_string()))
            .collect();
        Ok(corpus)
    }

    fn read_index(&mut self, check: &Check, index: &str) -> Result<(), RawError> {
        let frames = self.labels.len();
        let mut seen: HashMap<&str, usize> = HashMap::new();
        if index.lines().next().map(str::trim) != Some("id,start_frame,n_frames") {
            let reason = "it begins with the line id,start_frame,n_frames".into();
            return Err(check.line("index.csv", 1, reason));
        }
        for (number, line) in (1..).zip(index.lines()).skip(1) {
            let fault = |reason: String| Err(check.line("index.csv", number, reason));
            let mut fields = line.split(',');
            let (Some(id), Some(Ok(start)), Some(Ok(length)), None) = (
                fields.next(),
                fields.next().map(str::parse::<usize>),
                fields.next().map(str::parse::<u32>),
                fields.next(),
            ) else {
                return fault("a line is: id,start_frame,n_frames".into());
            };
            let end = start.checked_add(length as usize);
            if length == 0 || end.is_none_or(|end| end > frames) {
                return fault(format!(
                    "utterance {id}: {length} frames from {start} of {frames}"
                ));
            }
            if let Some(earlier) = seen.insert(id, number) {
                return fault(format!("utterance {id} is on line {earlier} already"));
            }
            self.ids.push(id.to_string());
            self.starts.push(start);
            self.lengths.push(length);
        }
        Ok(())
    }
}

struct Check {
    path: PathBuf,
}

impl Check {
    fn file(&self, file: &str, reason: &str) -> RawError {
        RawError::File {
            path: self.path.clone(),
            file: file.to_string(),
            reason: reason.to_string(),
        }
    }

    fn line(&self, file: &str, line: usize, reason: String) -> RawError {
        RawError::Line {
            path: self.path.clone(),
            file: file.to_string(),
            line,
            reason,
        }
    }

    fn sizes(
        &self,
        dims: usize,
        features: &[u8],
        labels: &[u8],
        classes: usize,
    ) -> Result<(), RawError> {
        if features.len() != labels.len() * dims * 2 {
            let reason = format!(
                "{} bytes, and the {} labels need {} of {dims} dimensions",
                features.len(),
                labels.len(),
                labels.len() * dims * 2
            );
            return Err(self.file(&format!("feat{dims}.f16le"), &reason));
        }
        if let Some(frame) = labels.iter().position(|&label| label as usize >= classes) {
            let reason = format!(
                "the label of frame {frame} is {} and phones.txt has {classes}",
                labels[frame]
            );
            return Err(self.file("labels.u8", &reason));
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

    fn classes(&self) -> Option<usize> {
        Some(self.class_names.len())
    }

    fn class_names(&self) -> Option<&[String]> {
        Some(&self.class_names)
    }

    fn id(&self, utterance: usize) -> &str {
        self.ids.get(utterance).map_or("", |id| id)
    }

    /// LibriSpeech's ids begin with the speaker.
    fn speaker(&self, utterance: usize) -> Option<&str> {
        let (speaker, _) = self.ids.get(utterance)?.split_once('-')?;
        Some(speaker)
    }

    fn text(&self, utterance: usize) -> Option<&str> {
        self.texts.get(utterance)?.as_deref()
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        let frames = requested_frames(self, utterance, start, features, labels)?;
        let first = self.starts[utterance];
        let row = self.dims * Dtype::F16.size();
        let bytes = &self.features[(first + frames.start) * row..(first + frames.end) * row];
        load_numbers(bytes, Dtype::F16, features);
        for (label, &class) in labels.iter_mut().zip(&self.labels[first + frames.start..]) {
            *label = i32::from(class);
        }
        Ok(())
    }
}
