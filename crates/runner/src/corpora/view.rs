//! A corpus made of other corpora: several joined, or a subset of one.

use std::sync::Arc;

use padwise_features::corpus::{ReadError, TargetSet};
use padwise_features::{Corpus, CorpusError};

use super::CorporaError;

/// Utterances of corpora with the same features and the same classes.
pub struct View {
    parts: Vec<Arc<dyn Corpus>>,
    /// For each utterance, the part and its index there.
    places: Vec<(usize, usize)>,
    lengths: Vec<u32>,
}

impl View {
    /// Joins corpora, one after the other. The names are used in error messages.
    pub fn joined(parts: Vec<(String, Arc<dyn Corpus>)>) -> Result<Self, CorporaError> {
        let Some((first_name, first)) = parts.first() else {
            return Err(CorporaError::Unsuitable("no corpus to join".into()));
        };
        for (name, part) in &parts {
            if part.dims() != first.dims() {
                return Err(CorporaError::Unsuitable(format!(
                    "{name} has {} features per frame, {first_name} has {}: prepare both with the same --features",
                    part.dims(),
                    first.dims()
                )));
            }
            if part.class_names() != first.class_names() || part.classes() != first.classes() {
                return Err(CorporaError::Unsuitable(format!(
                    "{name} and {first_name} have different classes: prepare both with the same labels"
                )));
            }
        }
        let parts: Vec<Arc<dyn Corpus>> = parts.into_iter().map(|(_, part)| part).collect();
        let places = parts
            .iter()
            .enumerate()
            .flat_map(|(part, corpus)| (0..corpus.len()).map(move |at| (part, at)))
            .collect();
        Ok(View::new(parts, places))
    }

    /// The utterances of a corpus with these indices, in this order. Indices past the end are ignored.
    pub fn subset(corpus: Arc<dyn Corpus>, mut chosen: Vec<usize>) -> Self {
        chosen.retain(|&utterance| utterance < corpus.len());
        View::new(vec![corpus], chosen.into_iter().map(|at| (0, at)).collect())
    }

    fn new(parts: Vec<Arc<dyn Corpus>>, places: Vec<(usize, usize)>) -> Self {
        let length = |&(part, at): &(usize, usize)| parts[part].lengths()[at];
        let lengths = places.iter().map(length).collect();
        View {
            parts,
            places,
            lengths,
        }
    }

    fn no_such(&self, utterance: usize) -> CorpusError {
        CorpusError::Read(ReadError::NoSuchUtterance {
            utterance,
            utterances: self.places.len(),
        })
    }

    fn at(&self, utterance: usize) -> Option<(&dyn Corpus, usize)> {
        let &(part, at) = self.places.get(utterance)?;
        Some((self.parts[part].as_ref(), at))
    }
}

impl Corpus for View {
    fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    fn dims(&self) -> usize {
        self.parts.first().map_or(0, |part| part.dims())
    }

    fn classes(&self) -> Option<usize> {
        self.parts.first()?.classes()
    }

    fn class_names(&self) -> Option<&[String]> {
        self.parts.first()?.class_names()
    }

    fn id(&self, utterance: usize) -> &str {
        self.at(utterance).map_or("", |(part, at)| part.id(at))
    }

    fn speaker(&self, utterance: usize) -> Option<&str> {
        self.at(utterance).and_then(|(part, at)| part.speaker(at))
    }

    fn text(&self, utterance: usize) -> Option<&str> {
        self.at(utterance).and_then(|(part, at)| part.text(at))
    }

    fn target_set(&self) -> Option<&TargetSet> {
        let first = self.parts.first()?.target_set();
        first.filter(|_| self.parts.iter().all(|part| part.target_set() == first))
    }

    fn targets(&self, utterance: usize) -> Result<Vec<i32>, CorpusError> {
        match self.at(utterance) {
            Some((part, at)) => part.targets(at),
            None => Err(self.no_such(utterance)),
        }
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        match self.at(utterance) {
            Some((part, at)) => part.read_into(at, start, features, labels),
            None => Err(self.no_such(utterance)),
        }
    }
}
