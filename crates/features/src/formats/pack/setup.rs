//! Settings of a pack, fixed before the first utterance is written.

use padwise_sampler::excerpt::{excerpt, is_unprintable};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::Xxh3;

use super::error::PackError;
use crate::corpus::TargetSet;
use crate::formats::numbers::Dtype;
use crate::labels::MOST_CLASSES;

/// Settings of a pack. They are stored in the file. A writer resumes only a file with the same settings.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// Dimensions of a frame.
    pub dims: u32,
    /// Number format.
    pub dtype: Dtype,
    /// Names of the label classes, or `None` if frames have no labels.
    pub class_names: Option<Vec<String>>,
    /// The symbols of target sequences, or `None` if utterances have no targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<TargetSet>,
    /// How the features were computed, in a form of the caller's choice.
    pub front_end: serde_json::Value,
}

/// An utterance to be packed, announced before its features are computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Utterance {
    /// Unique id.
    pub id: String,
    /// Speaker, if known.
    pub speaker: Option<String>,
    /// Transcript, if known.
    pub text: Option<String>,
    /// Target sequence: positions in the pack's symbols. Empty if the pack has no targets.
    pub targets: Vec<u16>,
    /// A number that changes when the source of the utterance changes, as far as the caller can tell. A resuming writer
    /// computes the utterance again if it differs.
    pub fingerprint: u64,
}

impl Utterance {
    /// A hash of what its record depends on: id, target and source. Speaker and text are stored in the index only.
    pub(super) fn identity(&self) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&self.fingerprint.to_le_bytes());
        hash.update(&(self.id.len() as u64).to_le_bytes());
        hash.update(self.id.as_bytes());
        let targets = self.targets.iter();
        targets.for_each(|symbol| hash.update(&symbol.to_le_bytes()));
        hash.digest()
    }
}

/// The header: the settings, and a digest of the announced utterances.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub setup: Setup,
    pub utterances: u64,
    pub digest: String,
}

impl Header {
    pub fn new(setup: Setup, utterances: &[Utterance]) -> Result<Self, PackError> {
        let refuse = |reason: String| Err(PackError::Setup { reason });
        if setup.dims == 0 {
            return refuse("0 dimensions".into());
        }
        let classes = setup.class_names.as_ref().map_or(1, Vec::len);
        if !(1..=MOST_CLASSES).contains(&classes) {
            return refuse(format!(
                "{classes} label classes: must be 1 to {MOST_CLASSES}"
            ));
        }
        for name in setup.class_names.iter().flatten() {
            check_name("class", name).map_err(|reason| PackError::Setup { reason })?;
        }
        let symbols = setup.targets.as_ref().map(|set| &set.symbols);
        if symbols.is_some_and(|symbols| !(1..=MOST_CLASSES).contains(&symbols.len())) {
            return refuse(format!("target symbols: must be 1 to {MOST_CLASSES}"));
        }
        for name in symbols.into_iter().flatten() {
            check_name("symbol", name).map_err(|reason| PackError::Setup { reason })?;
        }
        let mut seen = std::collections::HashMap::with_capacity(utterances.len());
        for (number, Utterance { id, speaker, .. }) in utterances.iter().enumerate() {
            for (kind, name) in [("utterance", Some(id)), ("speaker", speaker.as_ref())] {
                let name = name.map_or("", String::as_str);
                check_name(kind, name).map_err(|reason| PackError::Setup { reason })?;
            }
            if id.is_empty() {
                return refuse(format!("utterance {number} has an empty id"));
            }
            if let Some(earlier) = seen.insert(id, number) {
                let both = format!("utterances {earlier} and {number}");
                return refuse(format!("{both} have the same id, {id}"));
            }
        }
        Ok(Header {
            setup,
            utterances: utterances.len() as u64,
            digest: format!("{:032x}", digest(utterances)),
        })
    }

    /// The header as it is written.
    pub fn to_bytes(&self) -> Result<Vec<u8>, PackError> {
        let bytes = serde_json::to_vec(self).map_err(PackError::setup)?;
        if u32::try_from(bytes.len()).is_err() {
            return Err(PackError::setup("the setup is larger than 4 GiB"));
        }
        Ok(bytes)
    }

    /// The first difference from an earlier header: name, earlier value, current value.
    pub fn difference(&self, earlier: &Header) -> Option<(String, String, String)> {
        let (then, now) = (&earlier.setup, &self.setup);
        let list = |header: &Header| format!("{}, digest {}", header.utterances, header.digest);
        let [classes_then, classes_now] = [then, now].map(|setup| json(&setup.class_names));
        let [targets_then, targets_now] = [then, now].map(|setup| json(&setup.targets));
        let pairs = [
            ("number of dimensions", json(&then.dims), json(&now.dims)),
            ("dtype", json(&then.dtype), json(&now.dtype)),
            ("set of label classes", classes_then, classes_now),
            ("set of target symbols", targets_then, targets_now),
            ("list of utterances", list(earlier), list(self)),
        ];
        let plain = pairs.into_iter().find(|(_, then, now)| then != now);
        plain
            .map(|(what, then, now)| (what.to_string(), then, now))
            .or_else(|| value_difference("front end", &then.front_end, &now.front_end))
    }
}

/// Refuses names with control characters or invisible ones: they could change a terminal, or look like another name.
pub(super) fn check_name(kind: &str, name: &str) -> Result<(), String> {
    match name.chars().find(|&c| is_unprintable(c)) {
        None => Ok(()),
        Some(c) => Err(format!(
            "the name of {kind} {} contains the unprintable character U+{:04X}: rename it",
            excerpt(name),
            c as u32
        )),
    }
}

/// The innermost difference between two values.
fn value_difference(what: &str, then: &Value, now: &Value) -> Option<(String, String, String)> {
    if then == now {
        return None;
    }
    if let (Value::Object(a), Value::Object(b)) = (then, now) {
        let keys = a.keys().chain(b.keys());
        let inside = keys.map(|key| {
            // A missing key reads as null.
            value_difference(&format!("{what}, {key}"), &then[key], &now[key])
        });
        if let Some(difference) = inside.flatten().next() {
            return Some(difference);
        }
    }
    Some((what.to_string(), then.to_string(), now.to_string()))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// A digest of ids, speakers, texts and targets. Each string is preceded by its length, so lists that split the same text
/// differently have different digests.
fn digest(utterances: &[Utterance]) -> u128 {
    let mut hash = Xxh3::new();
    let mut take = |string: Option<&str>| {
        hash.update(&string.map_or(u64::MAX, |s| s.len() as u64).to_le_bytes());
        hash.update(string.unwrap_or_default().as_bytes());
    };
    for utterance in utterances {
        take(Some(&utterance.id));
        take(utterance.speaker.as_deref());
        take(utterance.text.as_deref());
    }
    for utterance in utterances {
        hash.update(&(utterance.targets.len() as u64).to_le_bytes());
        let targets = utterance.targets.iter();
        targets.for_each(|symbol| hash.update(&symbol.to_le_bytes()));
    }
    hash.digest128()
}
