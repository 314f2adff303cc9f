//! LJSpeech: `metadata.csv` with `id|text|normalised text`, and `wavs/ID.wav`. One speaker.

use std::path::Path;

use super::gathering::{MissingFiles, Sources};
use super::source::Source;
use crate::files::{FileError, lines};

/// Lists the utterances of an LJSpeech folder. The text is the normalised one, with numbers and abbreviations spelt out.
pub fn ljspeech(root: impl AsRef<Path>, missing: MissingFiles) -> Result<Vec<Source>, FileError> {
    let root = root.as_ref();
    let path = root.join("metadata.csv");
    let mut sources = Sources::new(missing);
    for line in lines(&path)? {
        let (number, line) = line?;
        let mut fields = line.split('|');
        let (Some(id), Some(text)) = (fields.next(), fields.next()) else {
            let reason = "expected id|text|normalised text";
            return Err(FileError::line(&path, number, reason));
        };
        let normalised = fields.next().filter(|text| !text.is_empty());
        let text = normalised.unwrap_or(text);
        let source = Source {
            id: id.to_string(),
            audio: root.join("wavs").join(format!("{id}.wav")),
            segment: None,
            labels: None,
            speaker: Some("LJ".to_string()),
            text: Some(text.to_string()),
        };
        sources.add(&path, number, source)?;
    }
    sources.finish(root, "metadata.csv lists no utterances")
}
