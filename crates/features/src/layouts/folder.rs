//! A folder of WAV and FLAC files, with transcripts in `.txt` files of the same name.

use std::collections::HashMap;
use std::path::Path;

use padwise_sampler::excerpt::excerpt;

use super::gathering::MissingFiles;
use super::source::Source;
use super::walk::Walk;
use crate::files::{FileError, read_text};

/// Maximum size of a transcript in bytes.
const LONGEST_TRANSCRIPT: u64 = 1 << 20;

/// Lists the audio files below a folder, sorted by id.
///
/// The id is the path below the folder without its extension, such as `anna/001`. The speaker is the name of the first
/// subfolder. The transcript is the content of the `.txt` file next to the audio file, as one line. If missing files are
/// listed, a transcript that cannot be read is missing, too.
pub fn folder(root: impl AsRef<Path>, missing: MissingFiles) -> Result<Vec<Source>, FileError> {
    let root = root.as_ref();
    let mut sources: Vec<Source> = Vec::new();
    for found in Walk::new(root)? {
        let found = found?;
        let texts: HashMap<_, _> = found.texts.iter().map(|p| (p.file_stem(), p)).collect();
        for audio in found.audio {
            let id = id(root, &audio)?;
            let text = match texts.get(&audio.file_stem()) {
                None => None,
                Some(path) => match (transcript(path), missing) {
                    (Ok(text), _) => Some(text),
                    (Err(_), MissingFiles::List) => None,
                    (Err(error), MissingFiles::Refuse) => return Err(error),
                },
            };
            sources.push(Source {
                speaker: id.split_once('/').map(|(speaker, _)| speaker.to_string()),
                id,
                audio,
                text,
                ..Source::default()
            });
        }
    }
    sources.sort_by(|a, b| (&a.id, &a.audio).cmp(&(&b.id, &b.audio)));
    for pair in sources.windows(2) {
        if pair[0].id == pair[1].id {
            let reason = format!(
                "same id {} as {}: rename or remove one of them",
                excerpt(&pair[1].id),
                pair[0].audio.display()
            );
            return Err(FileError::content(&pair[1].audio, reason));
        }
    }
    // Last, because it opens no file: broken links.
    let absent = sources.iter().find(|source| !source.audio.is_file());
    if let Some(absent) = absent.filter(|_| missing == MissingFiles::Refuse) {
        return Err(FileError::content(&absent.audio, "not a regular file"));
    }
    if sources.is_empty() {
        return Err(FileError::content(
            root,
            "no .wav or .flac files in this folder",
        ));
    }
    Ok(sources)
}

/// Whether there is a WAV or FLAC file in this folder or its subfolders.
pub fn contains_audio(root: impl AsRef<Path>) -> Result<bool, FileError> {
    Ok(Walk::new(root.as_ref())?.next().transpose()?.is_some())
}

/// The path below the root, without its extension and with `/` between names.
fn id(root: &Path, audio: &Path) -> Result<String, FileError> {
    let relative = audio.strip_prefix(root).unwrap_or(audio).with_extension("");
    let names: Option<Vec<&str>> = relative.iter().map(|name| name.to_str()).collect();
    let names = names
        .ok_or_else(|| FileError::content(audio, "the file name is not valid UTF-8: rename it"))?;
    Ok(names.join("/"))
}

fn transcript(path: &Path) -> Result<String, FileError> {
    let text = read_text(path, LONGEST_TRANSCRIPT)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
}
