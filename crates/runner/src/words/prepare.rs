//! Prepares word error rates before the first run: reads the lexicon and the language model, and the references.

use padwise_experiment_config::WordsConfig;
use padwise_features::Corpus;
use padwise_report::record::{DecodingRecord, TestSet, TestUtterance, TunedScale, UsedFile};

use super::recogniser::used_file;
use super::{Recogniser, RecogniserFiles, References, Shared, Units, WordsError};
use crate::experiment::Experiment;

/// What decoding needs, the settings of the record, and the test utterances.
pub struct Prepared {
    /// For the thread that decodes.
    pub shared: Shared,
    /// The classes of the model.
    pub units: Units,
    /// What is known about decoding.
    pub facts: DecodingFacts,
    /// The test set.
    pub utterances: Vec<TestUtterance>,
}

/// What is known about decoding before the scale of the language model is.
#[derive(Clone, Debug)]
pub struct DecodingFacts {
    /// The lexicon; none for CTC on characters.
    pub lexicon: Option<UsedFile>,
    /// The language model.
    pub language_model: UsedFile,
    /// Words that the decoder can recognise.
    pub vocabulary: u64,
    /// Order of the language model.
    pub lm_order: u64,
    /// The test set.
    pub test: TestSet,
}

impl DecodingFacts {
    /// The record of decoding with this scale. `tuned` are the scales that were tried, if the config does not set one.
    pub fn record(
        &self,
        config: &WordsConfig,
        lm_scale: f64,
        tuned: Vec<TunedScale>,
    ) -> DecodingRecord {
        DecodingRecord {
            lm_scale,
            beam: config.beam(lm_scale),
            word_penalty: config.word_penalty,
            prior_scale: config.prior_scale,
            max_active: config.max_active as u64,
            tuned,
            lexicon: self.lexicon.clone(),
            language_model: self.language_model.clone(),
            vocabulary: self.vocabulary,
            lm_order: self.lm_order,
            test: self.test.clone(),
        }
    }
}

/// Prepares the words of an experiment; nothing if it does not measure them.
pub fn prepare(experiment: &Experiment) -> Result<Option<Prepared>, WordsError> {
    let (Some(config), Some(test)) = (&experiment.config.measure.words, &experiment.split.test)
    else {
        return Ok(None);
    };
    let references = References::of(test.as_ref())?;
    let units = Units::of(experiment)?;
    let files = RecogniserFiles::of(config, &experiment.folder);
    let recogniser = Recogniser::open(&files, &units)?;
    let frame_seconds = experiment.frame_seconds();
    let frames: u64 = test.lengths().iter().map(|&frames| u64::from(frames)).sum();
    let words = references.words.iter().flatten();
    let unknown = words.filter(|word| !recogniser.knows(word)).count();
    let facts = DecodingFacts {
        lexicon: files.lexicon.as_deref().map(used_file).transpose()?,
        language_model: used_file(&files.language_model)?,
        vocabulary: recogniser.network.words() as u64,
        lm_order: recogniser.model.order() as u64,
        test: TestSet {
            utterances: test.len() as u64,
            words: references.count(),
            oov_percent: 100.0 * unknown as f64 / references.count().max(1) as f64,
            seconds: frames as f64 * frame_seconds,
        },
    };
    let ids: Vec<String> = (0..test.len()).map(|at| test.id(at).into()).collect();
    let mut known = std::collections::HashSet::new();
    if let Some(id) = ids.iter().find(|id| !known.insert(*id)) {
        let id = padwise_sampler::excerpt::excerpt(id);
        return Err(WordsError::Unsuitable(format!(
            "two test utterances have the id {id}: ids must differ"
        )));
    }
    let utterances = ids.iter().zip(&references.words);
    let utterances = utterances.map(|(id, words)| TestUtterance {
        utterance: id.clone(),
        words: words.len() as u32,
    });
    Ok(Some(Prepared {
        units,
        facts,
        utterances: utterances.collect(),
        shared: Shared {
            recogniser,
            config: config.clone(),
            ids,
            test: references,
            validation: validation_words(experiment, config)?,
            frame_seconds,
        },
    }))
}

/// The words of the validation utterances by id, if the scale has to be tuned on them.
fn validation_words(
    experiment: &Experiment,
    config: &WordsConfig,
) -> Result<std::collections::HashMap<String, Vec<String>>, WordsError> {
    if config.lm_scale.is_some() {
        return Ok(Default::default());
    }
    let corpus = experiment.split.validation.as_ref();
    let references = References::of(corpus)?.words.into_iter().enumerate();
    Ok(references
        .map(|(at, words)| (corpus.id(at).to_owned(), words))
        .collect())
}
