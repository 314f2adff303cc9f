//! Audio files as a corpus, with features computed on demand.
//!
//! A [`Recipe`] converts a file into features and labels. An [`AudioCorpus`] is a recipe with a list of files. Lengths
//! come from the file headers, so a sampler can plan before anything is decoded. Recomputing features in every epoch is
//! slow; [`pack_sources`](crate::prepare::pack_sources) stores them in a pack.

mod headers;
mod label_times;
mod recipe;
mod recordings;

use crate::corpus::{Corpus, CorpusError, copy_labels, requested_frames};
use crate::files::FileError;
use crate::layouts::Source;

pub use headers::{Headers, RateCount, RateError, kilohertz};
pub use label_times::{LabelTimes, TimesChoice};
pub use recipe::Recipe;

/// Audio files, read through a [`Recipe`].
pub struct AudioCorpus {
    recipe: Recipe,
    sources: Vec<Source>,
    lengths: Vec<u32>,
}

impl AudioCorpus {
    /// Reads the header of every file. Fails on the first file whose header cannot be read or that is shorter than a
    /// frame.
    pub fn open(recipe: Recipe, sources: Vec<Source>) -> Result<Self, CorpusError> {
        let lengths = sources
            .iter()
            .map(|source| recipe.frames(source))
            .collect::<Result<_, _>>()?;
        Ok(AudioCorpus {
            recipe,
            sources,
            lengths,
        })
    }

    /// Like [`AudioCorpus::open`], but leaves out files whose header cannot be read. Returns their ids and the reasons.
    pub fn open_readable(recipe: Recipe, sources: Vec<Source>) -> (Self, Vec<(String, String)>) {
        let (mut kept, mut lengths, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        for source in sources {
            match recipe.frames(&source) {
                Ok(length) => {
                    lengths.push(length);
                    kept.push(source);
                }
                Err(error) => left_out.push((source.id, error.to_string())),
            }
        }
        let corpus = AudioCorpus {
            recipe,
            sources: kept,
            lengths,
        };
        (corpus, left_out)
    }
}

impl Corpus for AudioCorpus {
    fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    fn dims(&self) -> usize {
        self.recipe.dims()
    }

    fn class_names(&self) -> Option<&[String]> {
        self.recipe.class_names()
    }

    fn id(&self, utterance: usize) -> &str {
        self.sources.get(utterance).map_or("", |s| s.id.as_str())
    }

    fn speaker(&self, utterance: usize) -> Option<&str> {
        self.sources.get(utterance)?.speaker.as_deref()
    }

    fn text(&self, utterance: usize) -> Option<&str> {
        self.sources.get(utterance)?.text.as_deref()
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        let frames = requested_frames(self, utterance, start, features, labels)?;
        let source = &self.sources[utterance];
        let (matrix, all_labels) = self.recipe.read(source)?;
        let dims = self.dims();
        let wanted = frames.start * dims..frames.end * dims;
        let Some(rows) = matrix.as_slice().get(wanted) else {
            let (now, then) = (matrix.rows(), self.lengths[utterance]);
            let reason = format!(
                "{now} frames, but {then} when the corpus was opened: do not modify files while they are in use"
            );
            return Err(FileError::content(&source.audio, reason).into());
        };
        features.copy_from_slice(rows);
        copy_labels(Some(&all_labels), frames, labels);
        Ok(())
    }
}
