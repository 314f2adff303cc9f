//! Front ends as they stand in a configuration, and in the header of the features they made.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::error::ParseFrontEndError;
use super::{Deltas, Fbank, FrontEnd, Kind, Mel, Mfcc, Splice};

/// A table with one kind of features. What is written is always complete: a preset may be improved one day, and
/// features that were made must not change their meaning with it.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Written {
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

impl From<FrontEnd> for Written {
    fn from(front_end: FrontEnd) -> Self {
        let rest = Written {
            deltas: front_end.deltas,
            splice: front_end.splice,
            ..Written::default()
        };
        match front_end.kind {
            Kind::Mfcc(mfcc) => Written {
                mfcc: Some(mfcc),
                ..rest
            },
            Kind::Fbank(fbank) => Written {
                fbank: Some(fbank),
                ..rest
            },
            Kind::Mel(mel) => Written {
                mel: Some(mel),
                ..rest
            },
        }
    }
}

impl TryFrom<Written> for FrontEnd {
    type Error = ParseFrontEndError;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let given = [
            ("preset", written.preset.is_some()),
            ("mfcc", written.mfcc.is_some()),
            ("fbank", written.fbank.is_some()),
            ("mel", written.mel.is_some()),
        ];
        let kind = match (written.preset, written.mfcc, written.fbank, written.mel) {
            (Some(preset), None, None, None) => preset.parse::<FrontEnd>()?.kind,
            (None, Some(mfcc), None, None) => Kind::Mfcc(mfcc),
            (None, None, Some(fbank), None) => Kind::Fbank(fbank),
            (None, None, None, Some(mel)) => Kind::Mel(mel),
            _ => {
                let given = given.iter().filter(|(_, is_given)| *is_given);
                return Err(ParseFrontEndError::Kinds {
                    given: given.map(|(name, _)| *name).collect(),
                });
            }
        };
        let front_end = FrontEnd {
            kind,
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
