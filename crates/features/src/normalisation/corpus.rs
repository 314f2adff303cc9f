//! A corpus that normalises frames when they are read.

use std::collections::BTreeMap;

#[cfg(feature = "rayon")]
use rayon::prelude::*;

use super::moments::{Moments, MomentsError};
use super::statistics::{Normalisation, Statistics};
use crate::corpus::{Corpus, CorpusError, forward_utterances};

/// Utterances per task. A fixed number keeps the sums independent of the number of cores.
const UTTERANCES_PER_TASK: usize = 64;

/// A corpus that normalises frames when they are read.
pub struct Normalised<C> {
    corpus: C,
    statistics: Statistics,
    global: Scale,
    speakers: BTreeMap<String, Scale>,
}

impl<C: Corpus> Normalised<C> {
    /// Computes the statistics on the training utterances, reading each once. Per-utterance normalisation needs none.
    pub fn fit(
        corpus: C,
        normalisation: Normalisation,
        training: &[usize],
    ) -> Result<Self, CorpusError> {
        let mut statistics = Statistics::new(normalisation, corpus.dims());
        if normalisation.is_learnt() {
            #[cfg(feature = "rayon")]
            let tasks = training.par_chunks(UTTERANCES_PER_TASK);
            #[cfg(not(feature = "rayon"))]
            let tasks = training.chunks(UTTERANCES_PER_TASK);
            let parts: Vec<Statistics> = tasks
                .map(|utterances| {
                    let mut part = Statistics::new(normalisation, corpus.dims());
                    for &utterance in utterances {
                        let (features, _) = corpus.read(utterance)?;
                        let speaker = corpus.speaker(utterance).unwrap_or_default();
                        let added = part.accumulate(speaker, &features);
                        added.map_err(CorpusError::other)?;
                    }
                    Ok(part)
                })
                .collect::<Result<_, CorpusError>>()?;
            for part in &parts {
                statistics.merge(part).map_err(CorpusError::other)?;
            }
        }
        Normalised::with(corpus, statistics).map_err(CorpusError::other)
    }

    /// Normalises with existing statistics, for example a validation set with those of its training set.
    pub fn with(corpus: C, statistics: Statistics) -> Result<Self, MomentsError> {
        statistics.global().same_dims(corpus.dims())?;
        if statistics.normalisation().is_learnt() && statistics.global().frames() == 0 {
            return Err(MomentsError::Empty);
        }
        let speakers = statistics.speakers().iter();
        Ok(Normalised {
            global: Scale::of(statistics.global()),
            speakers: speakers
                .map(|(name, moments)| (name.clone(), Scale::of(moments)))
                .collect(),
            corpus,
            statistics,
        })
    }

    /// The statistics, for saving with a model.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Mean and variance of an utterance, of which `features` may be a part.
    fn own_scale(&self, utterance: usize, features: &[f32]) -> Result<Scale, CorpusError> {
        let frames = self.lengths().get(utterance).copied().unwrap_or(0) as usize;
        if features.len() == frames * self.dims() {
            return Ok(Scale::of(&Moments::of_rows(features, self.dims())));
        }
        let (whole, _) = self.corpus.read(utterance)?;
        Ok(Scale::of(&Moments::of(&whole)))
    }
}

impl<C: Corpus> Corpus for Normalised<C> {
    forward_utterances!(self => self.corpus);

    fn classes(&self) -> Option<usize> {
        self.corpus.classes()
    }

    fn class_names(&self) -> Option<&[String]> {
        self.corpus.class_names()
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        self.corpus.read_into(utterance, start, features, labels)?;
        match self.statistics.normalisation() {
            Normalisation::None => {}
            Normalisation::Utterance => self.own_scale(utterance, features)?.apply(features),
            Normalisation::Speaker => {
                let speaker = self.speaker(utterance).unwrap_or_default();
                let speaker = self.speakers.get(speaker);
                speaker.unwrap_or(&self.global).apply(features);
            }
            Normalisation::Global => self.global.apply(features),
        }
        Ok(())
    }
}

/// Offset and factor of every dimension.
struct Scale {
    mean: Vec<f32>,
    factor: Vec<f32>,
}

impl Scale {
    fn of(moments: &Moments) -> Self {
        let (mean, std) = (moments.mean().iter(), moments.std().into_iter());
        Scale {
            mean: mean.map(|&mean| mean as f32).collect(),
            factor: std.map(|std| (1.0 / std) as f32).collect(),
        }
    }

    fn apply(&self, features: &mut [f32]) {
        for frame in features.chunks_exact_mut(self.mean.len().max(1)) {
            for ((x, mean), factor) in frame.iter_mut().zip(&self.mean).zip(&self.factor) {
                *x = (*x - mean) * factor;
            }
        }
    }
}
