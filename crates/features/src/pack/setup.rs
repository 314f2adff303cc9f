//! What a pack is made of, fixed before the first utterance is written.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::Xxh3;

use super::PackError;

/// What a corpus is packed with. It is written into the pack, and a writer that goes on after an interruption refuses
/// to do so under another one.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The numbers in a frame.
    pub dims: u32,
    /// How a number is stored.
    pub dtype: Dtype,
    /// The names of the label classes, by label; none where frames have no labels.
    pub class_names: Option<Vec<String>>,
    /// How the features were computed, in whatever form the one who computed them keeps it.
    pub front_end: serde_json::Value,
}

/// How a number is stored.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// Two bytes: half the file, three significant digits, no number over 65504.
    F16,
    /// Four bytes.
    F32,
}

impl Dtype {
    /// The bytes of one number.
    pub fn size(self) -> usize {
        match self {
            Dtype::F16 => 2,
            Dtype::F32 => 4,
        }
    }
}

/// One of the utterances that are to be packed, before anything of it is computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Utterance {
    /// Its id, which no other has.
    pub id: String,
    /// Who speaks, where it is known.
    pub speaker: Option<String>,
    /// What is said, where it is known.
    pub text: Option<String>,
    /// A number that changes when what the utterance is computed from does, as far as the caller can tell. A writer
    /// that goes on after an interruption does an utterance again whose number is another one.
    pub fingerprint: u64,
}

/// The header: the setup, and enough of the list of utterances to know it again.
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
            return refuse("frames of 0 numbers".into());
        }
        if let Some(names) = &setup.class_names
            && !(1..=usize::from(u16::MAX) + 1).contains(&names.len())
        {
            return refuse(format!(
                "{} label classes: there can be 1 to 65536",
                names.len()
            ));
        }
        let mut seen = std::collections::HashMap::with_capacity(utterances.len());
        for (number, utterance) in utterances.iter().enumerate() {
            if utterance.id.is_empty() {
                return refuse(format!("utterance {number} has an empty id"));
            }
            if let Some(earlier) = seen.insert(utterance.id.as_str(), number) {
                return refuse(format!(
                    "utterances {earlier} and {number} have the same id, {}",
                    utterance.id
                ));
            }
        }
        Ok(Header {
            setup,
            utterances: utterances.len() as u64,
            digest: format!("{:032x}", digest(utterances)),
        })
    }

    /// The first difference from an earlier header: what, then, now.
    pub fn difference(&self, earlier: &Header) -> Option<(String, String, String)> {
        let (then, now) = (&earlier.setup, &self.setup);
        let pairs = [
            (
                "number of dimensions",
                then.dims.to_string(),
                now.dims.to_string(),
            ),
            ("dtype", json(&then.dtype), json(&now.dtype)),
            (
                "set of label classes",
                json(&then.class_names),
                json(&now.class_names),
            ),
            (
                "list of utterances",
                format!("{}, digest {}", earlier.utterances, earlier.digest),
                format!("{}, digest {}", self.utterances, self.digest),
            ),
        ];
        let plain = pairs.into_iter().find(|(_, then, now)| then != now);
        plain
            .map(|(what, then, now)| (what.to_string(), then, now))
            .or_else(|| value_difference("front end", &then.front_end, &now.front_end))
    }
}

/// Where two values differ, as deep inside as they are alike around it.
fn value_difference(what: &str, then: &Value, now: &Value) -> Option<(String, String, String)> {
    if then == now {
        return None;
    }
    if let (Value::Object(a), Value::Object(b)) = (then, now) {
        let keys = a.keys().chain(b.keys());
        let inside = keys.map(|key| {
            let place = format!("{what}, {key}");
            value_difference(
                &place,
                a.get(key).unwrap_or(&Value::Null),
                b.get(key).unwrap_or(&Value::Null),
            )
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

/// A digest of ids, speakers and texts in their order. Lengths stand before contents, so that no two lists share one
/// by where their strings are cut.
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
    hash.digest128()
}
