//! Serialisation of front ends, in configurations and in the headers of feature files.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::config::{Deltas, Fbank, Mel, Mfcc, Splice};
use super::definition::{FrontEnd, Kind};
use super::error::ParseFrontEndError;

/// A table with one kind of features. Serialisation always writes all settings: a preset may change in a later version,
/// and the description of existing features must not change with it.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct Written {
    #[serde(skip_serializing)]
    preset: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mfcc: Option<Mfcc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fbank: Option<Fbank>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mel: Option<Mel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deltas: Option<Deltas>,
    #[serde(skip_serializing_if = "Option::is_none")]
    splice: Option<Splice>,
}

impl Serialize for FrontEnd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut written = Written {
            deltas: self.deltas,
            splice: self.splice,
            ..Written::default()
        };
        match self.kind.clone() {
            Kind::Mfcc(mfcc) => written.mfcc = Some(mfcc),
            Kind::Fbank(fbank) => written.fbank = Some(fbank),
            Kind::Mel(mel) => written.mel = Some(mel),
        }
        written.serialize(serializer)
    }
}

impl TryFrom<Written> for FrontEnd {
    type Error = ParseFrontEndError;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let preset = |name: String| name.parse().map(|preset: FrontEnd| preset.kind);
        let all = [
            ("preset", written.preset.map(preset)),
            ("mfcc", written.mfcc.map(|mfcc| Ok(Kind::Mfcc(mfcc)))),
            ("fbank", written.fbank.map(|fbank| Ok(Kind::Fbank(fbank)))),
            ("mel", written.mel.map(|mel| Ok(Kind::Mel(mel)))),
        ];
        let given = all
            .into_iter()
            .filter_map(|(name, kind)| Some((name, kind?)));
        let (names, mut kinds): (Vec<&str>, Vec<_>) = given.unzip();
        let Some(kind) = kinds.pop().filter(|_| kinds.is_empty()) else {
            let given = if names.is_empty() {
                "none".into()
            } else {
                names.join(" and ")
            };
            return Err(ParseFrontEndError::Unknown(format!(
                "a front end needs exactly one of `preset`, `mfcc`, `fbank` and `mel`; found {given}"
            )));
        };
        let front_end = FrontEnd {
            kind: kind?,
            deltas: written.deltas,
            splice: written.splice,
        };
        front_end.validate()?;
        Ok(front_end)
    }
}

impl<'de> Deserialize<'de> for FrontEnd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrTable)
    }
}

struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = FrontEnd;

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("the name of a preset, or a table with one of `mfcc`, `fbank` and `mel`")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<FrontEnd, E> {
        name.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<FrontEnd, A::Error> {
        Written::deserialize(MapAccessDeserializer::new(table))?
            .try_into()
            .map_err(A::Error::custom)
    }
}
