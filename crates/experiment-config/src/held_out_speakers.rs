//! The speakers of a validation or test set, by number or by name.

use std::collections::BTreeSet;
use std::fmt;

use padwise_sampler::excerpt::excerpt;
use schemars::JsonSchema;
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::KeyError;
use crate::limits::printable;

/// Speakers that are not trained on: how many, or their names.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum HeldOutSpeakers {
    /// Number of speakers, the last in alphabetical order.
    Count(#[schemars(range(min = 1))] usize),
    /// Names of the speakers.
    Named(#[schemars(length(min = 1), extend("uniqueItems" = true))] Vec<String>),
}

impl HeldOutSpeakers {
    /// Checks that there is at least one speaker, and that names are printable and differ.
    ///
    /// `part` is "validation" or "test".
    pub(crate) fn check(&self, part: &str) -> Result<(), KeyError> {
        let key = &format!("corpus.{part}.speakers");
        let names = match self {
            HeldOutSpeakers::Count(0) => {
                let problem = format!("the {part} set is empty: set at least 1");
                return Err(KeyError::new(format!("corpus.{part}"), problem));
            }
            HeldOutSpeakers::Count(_) => return Ok(()),
            HeldOutSpeakers::Named(names) => names,
        };
        if names.is_empty() {
            let problem = format!("the {part} set is empty: name at least one speaker");
            return Err(KeyError::new(key, problem));
        }
        let mut seen = BTreeSet::new();
        for name in names {
            printable(key, name)?;
            if !seen.insert(name) {
                let name = excerpt(name);
                let problem = format!("duplicate speaker `{name}`: name every speaker once");
                return Err(KeyError::new(key, problem));
            }
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for HeldOutSpeakers {
    /// Unlike a derived implementation, the error says what to write.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOrNames)
    }
}

struct NumberOrNames;

impl<'de> Visitor<'de> for NumberOrNames {
    type Value = HeldOutSpeakers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of speakers or a list of their names")
    }

    fn visit_u64<E: Error>(self, count: u64) -> Result<Self::Value, E> {
        let too_large = || E::invalid_value(Unexpected::Unsigned(count), &self);
        let count = usize::try_from(count).map_err(|_| too_large())?;
        Ok(HeldOutSpeakers::Count(count))
    }

    fn visit_i64<E: Error>(self, count: i64) -> Result<Self::Value, E> {
        match u64::try_from(count) {
            Ok(count) => self.visit_u64(count),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(count), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(name) = names.next_element()? {
            all.push(name);
        }
        Ok(HeldOutSpeakers::Named(all))
    }
}
