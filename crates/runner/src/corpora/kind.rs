//! Detects the layout of a corpus on disk.

use std::path::Path;

use clap::ValueEnum;
use padwise_features::files::open_regular;
use padwise_features::layouts::contains_audio;

use super::CorporaError;

/// The layout of a corpus on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CorpusKind {
    /// LibriSpeech: SPEAKER/CHAPTER folders of FLAC with .trans.txt
    Librispeech,
    /// LJSpeech: metadata.csv and wavs/
    Ljspeech,
    /// CHiME-4: data/annotations and data/audio
    Chime4,
    /// Manifest of audio or .npy files: CSV or JSON lines, also of NeMo and Lhotse
    Manifest,
    /// Folder of WAV or FLAC files, with transcripts in .txt files of the same name
    Folder,
    /// Kaldi: feats.scp, optionally with utt2spk and text in the same folder
    Kaldi,
    /// Folder of .npy files: ID.npy and ID.labels.npy
    Npy,
    /// Raw arrays: featN.f16le, labels.u8, index.csv, phones.txt, in a folder or a .tar.xz
    Raw,
    /// Feature pack written by `padwise prepare`
    Pack,
    /// TOML config with a corpus table
    Config,
}

impl CorpusKind {
    /// Detects the layout of the corpus at this path.
    pub fn detect(path: &Path) -> Result<CorpusKind, CorporaError> {
        let kind = std::fs::metadata(path).map_err(|source| CorporaError::Read {
            path: path.into(),
            source,
        })?;
        let found = if kind.is_dir() {
            of_folder(path)?
        } else {
            open_regular(path)?;
            of_file(path)
        };
        found.ok_or_else(|| CorporaError::Unknown { path: path.into() })
    }
}

fn of_file(path: &Path) -> Option<CorpusKind> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".pack"]) {
        Some(CorpusKind::Pack)
    } else if ends(&[".toml"]) {
        Some(CorpusKind::Config)
    } else if ends(&[".tar.xz"]) {
        Some(CorpusKind::Raw)
    } else if ends(&[".csv", ".jsonl", ".json"]) || ends(&[".csv.gz", ".jsonl.gz", ".json.gz"]) {
        // Compressed ones are refused with a remedy when they are read.
        Some(CorpusKind::Manifest)
    } else if ends(&[".scp"]) {
        Some(CorpusKind::Kaldi)
    } else {
        None
    }
}

fn of_folder(path: &Path) -> Result<Option<CorpusKind>, CorporaError> {
    let has = |name: &str| path.join(name).exists();
    Ok(if has("feats.scp") {
        Some(CorpusKind::Kaldi)
    } else if has("metadata.csv") && has("wavs") {
        Some(CorpusKind::Ljspeech)
    } else if has("data/annotations") {
        Some(CorpusKind::Chime4)
    } else if has("index.csv") && has("labels.u8") {
        Some(CorpusKind::Raw)
    } else if contains(path, ".npy", 0)? {
        Some(CorpusKind::Npy)
    } else if contains(path, ".trans.txt", 4)? {
        Some(CorpusKind::Librispeech)
    } else if contains_audio(path)? {
        Some(CorpusKind::Folder)
    } else {
        None
    })
}

/// Whether a folder contains a file with this ending, searching `depth` levels of subfolders.
fn contains(folder: &Path, ending: &str, depth: usize) -> Result<bool, CorporaError> {
    let unreadable = |source| CorporaError::Read {
        path: folder.into(),
        source,
    };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let found = if path.is_dir() {
            depth > 0 && contains(&path, ending, depth - 1)?
        } else {
            path.to_string_lossy().ends_with(ending)
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}
