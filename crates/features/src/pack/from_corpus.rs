//! A pack made of any other corpus.

use std::path::Path;

use super::{Dtype, Normalisation, Pack, PackWriter, Setup, Utterance};
use crate::corpus::{Corpus, CorpusError};

/// Packs a corpus, or goes on packing it where an earlier go stopped. Classes without names are named by their
/// numbers. `progress` is told how many utterances are there, first and after each.
pub fn pack_corpus(
    corpus: &dyn Corpus,
    target: impl AsRef<Path>,
    dtype: Dtype,
    normalisation: Normalisation,
    front_end: serde_json::Value,
    mut progress: impl FnMut(usize),
) -> Result<Pack, CorpusError> {
    let numbered = |classes| (0..classes).map(|class: usize| class.to_string()).collect();
    let class_names = match corpus.class_names() {
        Some(names) => Some(names.to_vec()),
        None => corpus.classes().map(numbered),
    };
    let setup = Setup {
        dims: u32::try_from(corpus.dims()).unwrap_or(u32::MAX),
        dtype,
        class_names,
        normalisation,
        front_end,
    };
    let utterances = (0..corpus.len())
        .map(|utterance| Utterance {
            id: corpus.id(utterance).to_string(),
            speaker: corpus.speaker(utterance).map(String::from),
            text: corpus.text(utterance).map(String::from),
        })
        .collect();
    let mut writer = PackWriter::create(target, setup, utterances)?;
    progress(writer.done());
    for utterance in writer.done()..corpus.len() {
        let (features, labels) = corpus.read(utterance)?;
        writer.append(&features, &labels)?;
        progress(writer.done());
    }
    Ok(writer.finish()?)
}
