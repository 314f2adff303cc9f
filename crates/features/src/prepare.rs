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
use crate::transcripts::Encoded;

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

/// Packs a corpus, or resumes an interrupted run. Classes without names are named by their numbers. Without `targets`, the
/// corpus's own are kept. If it fails before the first utterance, it leaves no file.
pub fn pack_corpus(
    corpus: &dyn Corpus,
    target: impl AsRef<Path>,
    front_end: serde_json::Value,
    targets: Option<&Encoded>,
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
    let mut utterances = Vec::with_capacity(corpus.len());
    for (number, &length) in corpus.lengths().iter().enumerate() {
        let kept = || -> Result<Vec<u16>, PackError> {
            let symbols = corpus.targets(number)?.into_iter();
            let symbols = symbols.map(u16::try_from).collect::<Result<_, _>>();
            symbols.map_err(PackError::setup)
        };
        utterances.push(Utterance {
            id: corpus.id(number).to_string(),
            speaker: corpus.speaker(number).map(String::from),
            text: corpus.text(number).map(String::from),
            targets: match targets {
                Some(encoded) => sequence(encoded, number),
                None => kept()?,
            },
            fingerprint: u64::from(length),
        });
    }
    check_targets(targets, options, |number| corpus.id(number))?;
    let setup = Setup {
        dims: u32::try_from(corpus.dims()).unwrap_or(u32::MAX),
        dtype: options.dtype,
        class_names,
        targets: match targets {
            Some(encoded) => Some(encoded.set.clone()),
            None => corpus.target_set().cloned(),
        },
        front_end: described(front_end, targets),
    };
    let writer = PackWriter::create(target, setup, utterances)?;
    let read = |number| corpus.read(number);
    write(writer, options, targets, read, progress)
}

/// Packs audio files, or resumes an interrupted run.
#[cfg(feature = "layouts")]
pub fn pack_sources(
    recipe: &Recipe,
    sources: &[Source],
    target: impl AsRef<Path>,
    targets: Option<&Encoded>,
    options: &PackOptions,
    progress: impl FnMut(Progress<'_>),
) -> Result<Pack, PackError> {
    let utterance = |(number, source): (usize, &Source)| Utterance {
        id: source.id.clone(),
        speaker: source.speaker.clone(),
        text: source.text.clone(),
        targets: targets.map_or(Vec::new(), |encoded| sequence(encoded, number)),
        fingerprint: recipe.fingerprint(source),
    };
    check_targets(targets, options, |number| &sources[number].id)?;
    let utterances = sources.iter().enumerate().map(utterance).collect();
    let setup = Setup {
        dims: u32::try_from(recipe.dims()).unwrap_or(u32::MAX),
        dtype: options.dtype,
        class_names: recipe.class_names().map(<[String]>::to_vec),
        targets: targets.map(|encoded| encoded.set.clone()),
        front_end: described(recipe.describe(), targets),
    };
    let writer = PackWriter::create(target, setup, utterances)?;
    let read = |number: usize| recipe.read(&sources[number]);
    write(writer, options, targets, read, progress)
}

/// Returns the first utterance without a target as an error, before any work. With `keep_going` they are left out later.
fn check_targets<'a>(
    targets: Option<&Encoded>,
    options: &PackOptions,
    id: impl Fn(usize) -> &'a str,
) -> Result<(), PackError> {
    let sequences = targets.map_or(&[][..], |encoded| &encoded.sequences);
    let problems = sequences.iter().enumerate();
    let mut problems = problems.filter_map(|(number, s)| Some((number, s.as_ref().err()?)));
    match problems.next() {
        Some((number, problem)) if !options.keep_going => Err(PackError::Utterance {
            id: id(number).into(),
            reason: problem.to_string(),
        }),
        _ => Ok(()),
    }
}

/// The target of an utterance; empty if it has none, in which case the utterance is left out.
fn sequence(encoded: &Encoded, number: usize) -> Vec<u16> {
    let sequence = encoded.sequences.get(number).and_then(|s| s.as_ref().ok());
    sequence.cloned().unwrap_or_default()
}

/// Adds the rules of the targets to the description of the features.
fn described(mut front_end: serde_json::Value, targets: Option<&Encoded>) -> serde_json::Value {
    if let (Some(encoded), Some(description)) = (targets, front_end.as_object_mut()) {
        description.insert("targets".into(), encoded.description.clone());
    }
    front_end
}

/// Utterances are computed in parallel and written in order, so the file does not depend on the number of threads.
fn write(
    mut writer: PackWriter,
    options: &PackOptions,
    targets: Option<&Encoded>,
    read: impl Fn(usize) -> Result<(Matrix, Vec<i32>), CorpusError> + Sync,
    progress: impl FnMut(Progress<'_>),
) -> Result<Pack, PackError> {
    match append_all(&mut writer, options, targets, read, progress) {
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
    targets: Option<&Encoded>,
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
    let problem = |number: usize| targets?.sequences.get(number)?.as_ref().err();
    let read = |number: usize| problem(number).is_none().then(|| read(number));
    progress(Progress::Done(writer.done()));
    while writer.next_utterance().is_some() {
        let first = writer.done();
        let last = (first + at_a_time).min(utterances);
        let computed: Vec<_> =
            threads.install(|| (first..last).into_par_iter().map(&read).collect());
        for (number, utterance) in (first..last).zip(computed) {
            let utterance = match (utterance, problem(number)) {
                (_, Some(problem)) => Err(writer.refused(problem.to_string())),
                (None, None) => break,
                (Some(utterance), None) => utterance.map_err(PackError::from),
            };
            match utterance.and_then(|(features, labels)| writer.append(&features, &labels)) {
                Ok(()) => {}
                // I/O errors, such as a full disk, always stop.
                Err(error @ (PackError::Corpus(_) | PackError::Utterance { .. }))
                    if options.keep_going =>
                {
                    let reason = match error {
                        PackError::Utterance { reason, .. } => reason,
                        other => other.to_string(),
                    };
                    writer.leave_out(&reason)?;
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
