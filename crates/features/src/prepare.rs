//! A pack made of any other corpus, or of files of audio, on all cores.
//!
//! Both ways survive being killed, and go on where they stopped: see [`PackWriter`].

use std::path::Path;

use rayon::prelude::*;

#[cfg(feature = "layouts")]
use crate::audio_corpus::Recipe;
use crate::corpus::{Corpus, CorpusError};
use crate::formats::pack::{Dtype, Pack, PackError, PackWriter, Setup, Utterance};
#[cfg(feature = "layouts")]
use crate::layouts::Source;
use crate::matrix::Matrix;

/// How a pack is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackOptions {
    /// How numbers are stored.
    pub dtype: Dtype,
    /// How many threads compute; 0 for one a core.
    pub jobs: usize,
    /// Leave out an utterance that cannot be read, with the reason, instead of stopping there.
    pub keep_going: bool,
}

/// Packs a corpus, or goes on packing it where an earlier go stopped. Classes without names are named by their
/// numbers. `progress` is told how many utterances are there, first and after each.
pub fn pack_corpus(
    corpus: &dyn Corpus,
    target: impl AsRef<Path>,
    front_end: serde_json::Value,
    options: &PackOptions,
    progress: impl FnMut(usize),
) -> Result<Pack, PackError> {
    let numbered = |classes| (0..classes).map(|class: usize| class.to_string()).collect();
    let class_names = match corpus.class_names() {
        Some(names) => Some(names.to_vec()),
        None => corpus.classes().map(numbered),
    };
    let utterance = |(number, &length): (usize, &u32)| Utterance {
        id: corpus.id(number).to_string(),
        speaker: corpus.speaker(number).map(String::from),
        text: corpus.text(number).map(String::from),
        fingerprint: u64::from(length),
    };
    let utterances = corpus.lengths().iter().enumerate().map(utterance).collect();
    let setup = Setup {
        dims: u32::try_from(corpus.dims()).unwrap_or(u32::MAX),
        dtype: options.dtype,
        class_names,
        front_end,
    };
    let writer = PackWriter::create(target, setup, utterances)?;
    write(writer, options, |number| corpus.read(number), progress)
}

#[cfg(feature = "layouts")]
/// Packs files of audio, or goes on packing them where an earlier go stopped.
pub fn pack_sources(
    recipe: &Recipe,
    sources: &[Source],
    target: impl AsRef<Path>,
    options: &PackOptions,
    progress: impl FnMut(usize),
) -> Result<Pack, PackError> {
    let utterance = |source: &Source| Utterance {
        id: source.id.clone(),
        speaker: source.speaker.clone(),
        text: source.text.clone(),
        fingerprint: recipe.fingerprint(source),
    };
    let utterances = sources.iter().map(utterance).collect();
    let setup = Setup {
        dims: u32::try_from(recipe.dims()).unwrap_or(u32::MAX),
        dtype: options.dtype,
        class_names: recipe.class_names().map(<[String]>::to_vec),
        front_end: recipe.describe(),
    };
    let writer = PackWriter::create(target, setup, utterances)?;
    write(
        writer,
        options,
        |number| recipe.read(&sources[number]),
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
) -> Result<Pack, PackError> {
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs)
        .build()
        .map_err(CorpusError::other)?;
    // Enough at a time to keep all threads busy, and few enough to hold in memory and to lose when killed.
    let at_a_time = 8 * threads.current_num_threads();
    let utterances = writer.announced();
    progress(writer.done());
    while writer.next_utterance().is_some() {
        let first = writer.done();
        let last = (first + at_a_time).min(utterances);
        let computed: Vec<_> =
            threads.install(|| (first..last).into_par_iter().map(&read).collect());
        for utterance in computed {
            let utterance = utterance.map_err(PackError::from);
            match utterance.and_then(|(features, labels)| writer.append(&features, &labels)) {
                Ok(()) => {}
                // A full disk is no reason to leave an utterance out.
                Err(error @ (PackError::Corpus(_) | PackError::Utterance { .. }))
                    if options.keep_going =>
                {
                    writer.leave_out(&error.to_string())?;
                }
                Err(error) => return Err(error),
            }
            progress(writer.done());
        }
    }
    if utterances > 0 && writer.is_empty() {
        return Err(PackError::NothingLeft { utterances });
    }
    writer.finish()
}
