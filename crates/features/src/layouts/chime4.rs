//! CHiME-4: annotations in `data/annotations/SET.json`, audio in `data/audio/16kHz/isolated*/`.
//!
//! There is one file per channel, such as `tr05_bus_real/F01_22GC010A_BUS.CH1.wav`. In the one-channel track, the name
//! has no `.CH1`.

use std::path::Path;

use serde::Deserialize;

use super::gathering::{MissingFiles, Sources};
use super::source::Source;
use crate::files::{FileError, read_text};
use padwise_sampler::excerpt::excerpt;

/// Maximum size of an annotation file in bytes. The largest of CHiME-4 has 4 MB.
const LARGEST_FILE: u64 = 64 << 20;

/// Which part of CHiME-4 to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chime4 {
    /// Name of the set: `tr05_real`, `tr05_simu`, `dt05_real`, `dt05_simu`, `et05_real` or `et05_simu`.
    pub set: String,
    /// Audio folder: `isolated`, `isolated_1ch_track`, ...
    pub audio: String,
    /// Channel number; `None` in the one-channel track.
    pub channel: Option<u32>,
}

/// The fields of an annotation that are used.
#[derive(Debug, Deserialize)]
struct Annotation {
    speaker: String,
    wsj_name: String,
    environment: String,
    dot: Option<String>,
}

/// Lists the utterances of a part of CHiME-4, in the order of its annotations. `root` is the folder that contains `data`.
///
/// Ids are those of Kaldi's recipe, such as `F01_22GC010A_BUS_REAL`, because sentences are both recorded and simulated.
pub fn chime4(
    root: impl AsRef<Path>,
    part: &Chime4,
    missing: MissingFiles,
) -> Result<Vec<Source>, FileError> {
    let data = root.as_ref().join("data");
    let path = data.join("annotations").join(format!("{}.json", part.set));
    let text = read_text(&path, LARGEST_FILE)?;
    let annotations: Vec<serde_json::Value> = serde_json::from_str(&text)
        .map_err(|error| FileError::line(&path, error.line() as u64, error.to_string()))?;
    let Some((set, kind)) = part.set.rsplit_once('_') else {
        let reason = format!(
            "unrecognised set `{}`: expected a name like tr05_real",
            excerpt(&part.set)
        );
        return Err(FileError::content(&path, reason));
    };
    let audio = data.join("audio").join("16kHz").join(&part.audio);
    let mut sources = Sources::new(missing);
    for (number, annotation) in (1..).zip(annotations) {
        let annotation: Annotation = serde_json::from_value(annotation)
            .map_err(|error| FileError::content(&path, format!("annotation {number}: {error}")))?;
        let (speaker, name) = (annotation.speaker, annotation.wsj_name);
        let environment = annotation.environment.to_uppercase();
        let stem = format!("{speaker}_{name}_{environment}");
        let channel = part.channel.map(|n| format!(".CH{n}")).unwrap_or_default();
        let folder = format!("{set}_{}_{kind}", environment.to_lowercase());
        let source = Source {
            id: format!("{stem}_{}", kind.to_uppercase()),
            audio: audio.join(folder).join(format!("{stem}{channel}.wav")),
            segment: None,
            labels: None,
            speaker: Some(speaker),
            text: annotation.dot,
        };
        sources.add(&path, number, source)?;
    }
    sources.finish(&path, "no annotations in this file")
}
