//! LibriSpeech: audio in `SPEAKER/CHAPTER/SPEAKER-CHAPTER-NNNN.flac`, transcripts of a chapter in
//! `SPEAKER-CHAPTER.trans.txt` in the same folder.

use std::path::{Path, PathBuf};

use super::gathering::{MissingFiles, Sources};
use super::source::Source;
use crate::files::{FileError, lines, sorted_entries};

/// Maximum depth of a chapter below the given folder: corpus, set, speaker, chapter.
const DEEPEST: usize = 4;

/// Lists all utterances below a folder: a set (`dev-clean`), a speaker, or a folder of several sets.
pub fn librispeech(
    root: impl AsRef<Path>,
    missing: MissingFiles,
) -> Result<Vec<Source>, FileError> {
    let root = root.as_ref();
    let mut transcripts = Vec::new();
    find_transcripts(root, DEEPEST, &mut transcripts)?;
    let mut sources = Sources::new(missing);
    for path in &transcripts {
        let folder = path.parent().unwrap_or(root);
        for line in lines(path)? {
            let (number, line) = line?;
            let (id, text) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            let source = Source {
                id: id.to_string(),
                audio: folder.join(format!("{id}.flac")),
                segment: None,
                labels: None,
                speaker: id.split_once('-').map(|(speaker, _)| speaker.to_string()),
                text: Some(text.trim().to_string()),
            };
            sources.add(path, number, source)?;
        }
        for file in sorted_entries(folder)? {
            let is_audio = file.extension().is_some_and(|ending| ending == "flac");
            let id = file.file_stem().unwrap_or_default().to_string_lossy();
            if is_audio && !sources.has(&id) {
                let reason = format!(
                    "no transcript in {}: add one or remove the file",
                    path.display()
                );
                return Err(FileError::content(&file, reason));
            }
        }
    }
    sources.finish(root, "no SPEAKER/CHAPTER/*.trans.txt found in this folder")
}

fn find_transcripts(
    folder: &Path,
    deeper: usize,
    found: &mut Vec<PathBuf>,
) -> Result<(), FileError> {
    for path in sorted_entries(folder)? {
        if path.is_dir() {
            if deeper > 0 {
                find_transcripts(&path, deeper - 1, found)?;
            }
        } else if path.to_string_lossy().ends_with(".trans.txt") {
            found.push(path);
        }
    }
    Ok(())
}
