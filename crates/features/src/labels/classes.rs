//! The set of label classes.

use std::collections::{BTreeSet, HashMap};

use super::error::LabelError;
use padwise_sampler::excerpt::excerpt;

/// Largest class number. Packs store labels in 16 bits.
pub const LARGEST_LABEL: i32 = u16::MAX as i32;

/// Maximum number of classes.
pub const MOST_CLASSES: usize = u16::MAX as usize + 1;

/// Class names by number, and the class for unlabelled time (silence).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSet {
    names: Vec<String>,
    numbers: HashMap<String, i32>,
    silence: i32,
}

impl LabelSet {
    /// All given names and silence, in alphabetical order. The result does not depend on the order of the input.
    pub fn sorted<'a>(
        names: impl IntoIterator<Item = &'a str>,
        silence: &'a str,
    ) -> Result<Self, LabelError> {
        let unique: BTreeSet<&str> = names.into_iter().chain([silence]).collect();
        Self::given(unique.into_iter().map(String::from).collect(), silence)
    }

    /// The given names in the given order, which must include silence.
    pub fn given(names: Vec<String>, silence: &str) -> Result<Self, LabelError> {
        let refuse = |reason| Err(LabelError::Inconsistent(reason));
        if names.len() > MOST_CLASSES {
            return refuse(format!(
                "{} classes: at most {MOST_CLASSES} are supported",
                names.len()
            ));
        }
        let mut numbers = HashMap::with_capacity(names.len());
        for (number, name) in (0..).zip(&names) {
            if let Some(earlier) = numbers.insert(name.clone(), number) {
                let both = format!("{earlier} and {number}");
                return refuse(format!(
                    "duplicate class `{}`: numbers {both}",
                    excerpt(name)
                ));
            }
        }
        let Some(&silence) = numbers.get(silence) else {
            return refuse(format!(
                "silence class `{silence}` is not one of the {} classes",
                names.len()
            ));
        };
        Ok(LabelSet {
            names,
            numbers,
            silence,
        })
    }

    /// Names of the classes, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of the class with this name.
    pub fn number(&self, name: &str) -> Option<i32> {
        self.numbers.get(name).copied()
    }

    /// Number of the silence class.
    pub fn silence(&self) -> i32 {
        self.silence
    }
}
