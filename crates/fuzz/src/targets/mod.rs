//! One module per group of readers.

mod audio;
mod config;
mod decoder;
mod kaldi;
mod labels;
mod lengths;
mod manifest;
mod npy;
mod pack;
mod profile;
mod raw;
mod results;
mod states;
mod strategy;
mod training;
mod transcripts;

pub use training::model;

use padwise_features::Corpus;

use crate::Target;

/// All targets.
pub static ALL: &[Target] = &[
    config::CONFIG,
    strategy::STRATEGY,
    profile::PROFILE,
    lengths::LENGTHS,
    pack::PACK,
    raw::FOLDER,
    raw::TAR,
    raw::ARCHIVE,
    kaldi::ARCHIVE,
    kaldi::ALIGNMENT,
    kaldi::FOLDER,
    npy::NPY,
    labels::CTM,
    labels::TEXTGRID,
    states::STATES,
    manifest::MANIFEST,
    manifest::FOLDER,
    manifest::LIBRISPEECH,
    manifest::LJSPEECH,
    transcripts::TRANSCRIPTS,
    decoder::LEXICON,
    decoder::ARPA,
    decoder::DECODE,
    audio::WAV,
    audio::FLAC,
    results::EPOCHS,
    results::RESULTS,
    results::REPORT,
    training::CHECKPOINT,
    training::TAG,
];

/// Reads everything in a corpus.
fn read_all(corpus: &dyn Corpus) {
    for utterance in 0..corpus.len() {
        let _ = corpus.id(utterance);
        let _ = corpus.speaker(utterance);
        let _ = corpus.text(utterance);
        if let (Some(set), Ok(targets)) = (corpus.target_set(), corpus.targets(utterance)) {
            let is_symbol = |&s: &i32| usize::try_from(s).is_ok_and(|s| s < set.symbols.len());
            assert!(targets.iter().all(is_symbol), "a target is no symbol");
        }
        let Ok((features, labels)) = corpus.read(utterance) else {
            continue;
        };
        assert_eq!(features.rows(), corpus.lengths()[utterance] as usize);
        if let Some(classes) = corpus.classes() {
            assert_eq!(labels.len(), features.rows());
            let is_class = |&label: &i32| usize::try_from(label).is_ok_and(|l| l < classes);
            assert!(labels.iter().all(is_class), "a label is no class");
        }
        assert!(
            features.as_slice().iter().all(|number| number.is_finite()),
            "a feature is not finite"
        );
    }
    // Out of range on purpose.
    assert!(corpus.read(corpus.len()).is_err() || corpus.dims() == 0);
}
