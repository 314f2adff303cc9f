//! Cuts of Lhotse: nested objects with a recording and its supervisions.

use serde_json::{Map, Value};

use super::columns::Columns;
use super::json::json_text;
use padwise_sampler::excerpt::excerpt;

/// Keys of a cut that are used here or have no meaning for padwise.
const KEYS: [&str; 7] = [
    "channel",
    "custom",
    "features",
    "recording",
    "supervisions",
    "tracks",
    "type",
];

/// Whether an object is a cut.
pub(super) fn is_cut(object: &Map<String, Value>) -> bool {
    let kind = object.get("type").and_then(Value::as_str);
    object.contains_key("recording") || kind.is_some_and(|kind| kind.ends_with("Cut"))
}

/// Replaces the nested keys of a cut with `path`, `text` and `speaker`.
pub(super) fn flatten(cut: &mut Map<String, Value>, columns: &mut Columns) -> Result<(), String> {
    if let Some(kind) = cut.get("type").and_then(Value::as_str)
        && kind != "MonoCut"
    {
        let kind = excerpt(kind);
        return Err(format!("a {kind}: only cuts of type MonoCut are supported"));
    }
    let path = source(cut.get("recording").unwrap_or(&Value::Null), columns)?;
    let (transcript, speaker) = supervisions(cut.get("supervisions"), columns);
    for key in KEYS {
        cut.remove(key);
    }
    cut.insert("path".into(), path.into());
    cut.insert("text".into(), transcript);
    cut.insert("speaker".into(), speaker);
    Ok(())
}

/// The audio file of a recording.
fn source(recording: &Value, columns: &mut Columns) -> Result<String, String> {
    if recording.is_null() {
        return Err("the cut has no `recording`, so its audio is unknown".into());
    }
    let transforms = recording["transforms"].as_array();
    if transforms.is_some_and(|transforms| !transforms.is_empty()) {
        return Err("the recording has `transforms`: save the transformed audio first".into());
    }
    let sources = recording["sources"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let [source] = sources else {
        return Err(format!(
            "the recording has {} sources: only one file is supported",
            sources.len()
        ));
    };
    let kind = source["type"].as_str().unwrap_or("file");
    if kind != "file" {
        let kind = excerpt(kind);
        return Err(format!(
            "the source has type `{kind}`: only `file` is supported"
        ));
    }
    let channels = source["channels"].as_array().map_or(1, Vec::len);
    columns.channels += u64::from(channels > 1);
    match source["source"].as_str() {
        Some(path) => Ok(path.to_string()),
        None => Err("the source of the recording has no `source` with its file".into()),
    }
}

/// All texts in their order, and the speaker if there is only one.
fn supervisions(found: Option<&Value>, columns: &mut Columns) -> (Value, Value) {
    let found = found
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let values = |key: &str| -> Vec<String> {
        let values = found
            .iter()
            .filter_map(|supervision| json_text(supervision.get(key)?));
        values
            .map(|value| value.into_owned())
            .filter(|value| !value.is_empty())
            .collect()
    };
    let (texts, mut speakers) = (values("text"), values("speaker"));
    speakers.sort();
    speakers.dedup();
    columns.several_speakers += u64::from(speakers.len() > 1);
    let speaker = if speakers.len() == 1 {
        speakers.pop()
    } else {
        None
    };
    (texts.join(" ").into(), speaker.into())
}
