//! A pack made of any other corpus, or of files of audio, on all cores.

use std::path::Path;

use rayon::prelude::*;

use super::{Dtype, Pack, PackError, PackWriter, Setup, Utterance};
use crate::Matrix;
use crate::audio_corpus::Recipe;
use crate::corpus::{Corpus, CorpusError};
use crate::layouts::Source;

/// How a pack is made.
#[derive(Clone, Debug, PartialEq)]
pub struct PackOptions {
    /// How numbers are stored.
    pub dtype: Dtype,
    /// How many threads compute; 0 for one a core.
    pub jobs: usize,
    /// Leave out an utterance that cannot be read, with the reason, instead of stopping there.
    pub keep_going: bool,
}

impl Default for PackOptions {
    fn default() -> Self {
        PackOptions {
            dtype: Dtype::F16,
            jobs: 0,
            keep_going: false,
        }
    }
}

/// Packs a corpus, or goes on packing it where an earlier go stopped. Classes without names are named by their
/// numbers. `progress` is told how many utterances are there, first and after each.
pub fn pack_corpus(
    corpus: &dyn Corpus,
    target: impl AsRef<Path>,
    front_end: serde_json::Value,
    options: &PackOptions,
    progress: impl FnMut(usize),
) -> Result<Pack, CorpusError> {
    let numbered = |classes| (0..classes).map(|class: usize| class.to_string()).collect();
    let class_names = match corpus.class_names() {
        Some(names) => Some(names.to_vec()),
        None => corpus.classes().map(numbered),
    };
    let setup = Setup {
        dims: u32::try_from(corpus.dims()).unwrap_or(u32::MAX),
        dtype: options.dtype,
        class_names,
        front_end,
    };
    let utterances = (0..corpus.len())
        .map(|utterance| Utterance {
            id: corpus.id(utterance).to_string(),
            speaker: corpus.speaker(utterance).map(String::from),
            text: corpus.text(utterance).map(String::from),
            fingerprint: u64::from(corpus.lengths()[utterance]),
        })
        .collect();
    let writer = PackWriter::create(target, setup, utterances)?;
    write(
        writer,
        options,
        |utterance| corpus.read(utterance),
        progress,
    )
}

/// Packs files of audio, or goes on packing them where an earlier go stopped.
pub fn pack_sources(
    recipe: &Recipe,
    sources: &[Source],
    target: impl AsRef<Path>,
    options: &PackOptions,
    progress: impl FnMut(usize),
) -> Result<Pack, CorpusError> {
    let setup = Setup {
        dims: u32::try_from(recipe.dims()).unwrap_or(u32::MAX),
        dtype: options.dtype,
        class_names: recipe.class_names().map(<[String]>::to_vec),
        front_end: recipe.describe(),
    };
    let utterances = sources
        .iter()
        .map(|source| Utterance {
            fingerprint: recipe.fingerprint(source),
            ..Utterance::from(source)
        })
        .collect();
    let writer = PackWriter::create(target, setup, utterances)?;
    write(
        writer,
        options,
        |utterance| recipe.read(&sources[utterance]),
        progress,
    )
}

/// Utterances are computed side by side and written one after the other, so that the file does not show how many
/// threads there were.
fn write(
    mut writer: PackWriter,
    options: &PackOptions,
    read: impl Fn(usize) -> Result<(Matrix, Vec<i32>), CorpusError> + Sync,
    mut progress: impl FnMut(usize),
) -> Result<Pack, CorpusError> {
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs)
        .build()
        .map_err(CorpusError::other)?;
    // Enough at a time to keep all threads busy, and few enough to hold in memory and to lose when killed.
    let at_a_time = 8 * threads.current_num_threads();
    progress(writer.done());
    while writer.next_utterance().is_some() {
        let first = writer.done();
        let last = (first + at_a_time).min(writer.announced());
        let computed: Vec<_> =
            threads.install(|| (first..last).into_par_iter().map(&read).collect());
        for utterance in computed {
            match utterance.and_then(|(features, labels)| Ok(writer.append(&features, &labels)?)) {
                Ok(()) => {}
                Err(error) if options.keep_going && is_the_utterances_fault(&error) => {
                    writer.leave_out(&error.to_string())?;
                }
                Err(error) => return Err(error),
            }
            progress(writer.done());
        }
    }
    if writer.announced() > 0 && writer.is_empty() {
        return Err(CorpusError::NothingLeft {
            utterances: writer.announced(),
        });
    }
    Ok(writer.finish()?)
}

/// A full disk is no reason to leave an utterance out.
fn is_the_utterances_fault(error: &CorpusError) -> bool {
    !matches!(error, CorpusError::Pack(pack) if !matches!(pack, PackError::Utterance { .. }))
}
