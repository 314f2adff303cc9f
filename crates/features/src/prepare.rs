//! Converts audio files or any other corpus into a pack, on all cores.
//!
//! An interrupted conversion resumes where it stopped; see [`PackWriter`].

use std::path::Path;

use rayon::prelude::*;

#[cfg(feature = "layouts")]
use crate::audio_corpus::Recipe;
use crate::corpus::{Corpus, CorpusError};
use crate::formats::pack::{Dtype, Pack, PackError, PackWriter, Setup, Utterance};
use crate::labels::MOST_CLASSES;
#[cfg(feature = "layouts")]
use crate::layouts::Source;
use crate::matrix::Matrix;

/// Options for writing a pack.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PackOptions {
    /// Number format.
    pub dtype: Dtype,
    /// Number of threads; 0 for one per core.
    pub jobs: usize,
    /// Skip utterances that cannot be read, and record the reason, instead of stopping.
    pub keep_going: bool,
}

/// What [`pack_corpus`] and [`pack_sources`] report while they work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// An unfinished pack was replaced because this setting differs.
    Restarted(&'a str),
    /// Number of finished utterances. Reported at the start and after each utterance.
    Done(usize),
}

/// Packs a corpus, or resumes an interrupted run. Classes without names are named by their numbers. If it fails before the
/// first utterance, it leaves no file.
pub fn pack_corpus(
    corpus: &dyn Corpus,
    target: impl AsRef<Path>,
    front_end: serde_json::Value,
    options: &PackOptions,
    progress: impl FnMut(Progress<'_>),
) -> Result<Pack, PackError> {
    // Checked before the classes are named: a damaged label can ask for billions of names.
    if let Some(classes) = corpus.classes().filter(|&classes| classes > MOST_CLASSES) {
        let reason = format!("{classes} label classes: must be 1 to {MOST_CLASSES}");
        return Err(PackError::setup(reason));
    }
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

/// Packs audio files, or resumes an interrupted run.
#[cfg(feature = "layouts")]
pub fn pack_sources(
    recipe: &Recipe,
    sources: &[Source],
    target: impl AsRef<Path>,
    options: &PackOptions,
    progress: impl FnMut(Progress<'_>),
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

/// Utterances are computed in parallel and written in order, so the file does not depend on the number of threads.
fn write(
    mut writer: PackWriter,
    options: &PackOptions,
    read: impl Fn(usize) -> Result<(Matrix, Vec<i32>), CorpusError> + Sync,
    progress: impl FnMut(Progress<'_>),
) -> Result<Pack, PackError> {
    match append_all(&mut writer, options, read, progress) {
        Ok(()) => writer.finish(),
        Err(error) => {
            writer.abandon();
            Err(error)
        }
    }
}

fn append_all(
    writer: &mut PackWriter,
    options: &PackOptions,
    read: impl Fn(usize) -> Result<(Matrix, Vec<i32>), CorpusError> + Sync,
    mut progress: impl FnMut(Progress<'_>),
) -> Result<(), PackError> {
    if let Some(setting) = writer.restarted() {
        progress(Progress::Restarted(setting));
    }
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs)
        .build()
        .map_err(CorpusError::other)?;
    // Enough to keep all threads busy, few enough to fit in memory and to recompute after an interruption.
    let at_a_time = 8 * threads.current_num_threads();
    let utterances = writer.announced();
    progress(Progress::Done(writer.done()));
    while writer.next_utterance().is_some() {
        let first = writer.done();
        let last = (first + at_a_time).min(utterances);
        let computed: Vec<_> =
            threads.install(|| (first..last).into_par_iter().map(&read).collect());
        for utterance in computed {
            let utterance = utterance.map_err(PackError::from);
            match utterance.and_then(|(features, labels)| writer.append(&features, &labels)) {
                Ok(()) => {}
                // I/O errors, such as a full disk, always stop.
                Err(error @ (PackError::Corpus(_) | PackError::Utterance { .. }))
                    if options.keep_going =>
                {
                    writer.leave_out(&error.to_string())?;
                }
                Err(error) => return Err(error),
            }
            progress(Progress::Done(writer.done()));
        }
    }
    if utterances > 0 && writer.is_empty() {
        return Err(PackError::NothingLeft { utterances });
    }
    Ok(())
}
