//! LJSpeech: `metadata.csv` with `id|text|normalised text`, and `wavs/ID.wav`. One speaker.

use std::path::Path;

use super::folder::{Sources, lines};
use super::{LayoutError, Source};

/// The utterances of LJSpeech's folder. The text is the normalised one, in which numbers and abbreviations are words.
pub fn ljspeech(root: impl AsRef<Path>) -> Result<Vec<Source>, LayoutError> {
    let root = root.as_ref();
    let path = root.join("metadata.csv");
    let mut sources = Sources::default();
    for (number, line) in lines(&path)? {
        let mut fields = line.split('|');
        let (Some(id), Some(text)) = (fields.next(), fields.next()) else {
            let reason = "a line is: id|text|normalised text";
            return Err(LayoutError::line(&path, number, reason));
        };
        let text = fields
            .next()
            .filter(|text| !text.is_empty())
            .unwrap_or(text);
        let source = Source {
            id: id.to_string(),
            audio: root.join("wavs").join(format!("{id}.wav")),
            labels: None,
            speaker: Some("LJ".to_string()),
            text: Some(text.to_string()),
        };
        sources.add(&path, number, source)?;
    }
    sources.finish(root, "metadata.csv names no utterance")
}
