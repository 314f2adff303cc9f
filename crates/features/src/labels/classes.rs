//! The set of classes that labels are numbers of.

use std::collections::{BTreeSet, HashMap};

use super::error::LabelError;

/// Class names by number, and one of them for the time that nothing is said about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSet {
    names: Vec<String>,
    numbers: HashMap<String, i32>,
    silence: i32,
}

impl LabelSet {
    /// The set of all names that occur, and the silence, in alphabetical order: the same for the same names, in
    /// whatever order a corpus brings them.
    pub fn sorted<'a>(
        names: impl IntoIterator<Item = &'a str>,
        silence: &'a str,
    ) -> Result<Self, LabelError> {
        let unique: BTreeSet<&str> = names.into_iter().chain([silence]).collect();
        Self::given(unique.into_iter().map(String::from).collect(), silence)
    }

    /// These names in this order; the silence is one of them.
    pub fn given(names: Vec<String>, silence: &str) -> Result<Self, LabelError> {
        let refuse = |reason| Err(LabelError::Inconsistent(reason));
        if names.len() > usize::from(u16::MAX) + 1 {
            return refuse(format!("{} classes: there can be 65536", names.len()));
        }
        let mut numbers = HashMap::with_capacity(names.len());
        for (number, name) in (0..).zip(&names) {
            if let Some(earlier) = numbers.insert(name.clone(), number) {
                let both = format!("{earlier} and {number}");
                return refuse(format!("class `{name}` has two numbers, {both}"));
            }
        }
        let Some(&silence) = numbers.get(silence) else {
            return refuse(format!(
                "`{silence}`, the class of the gaps, is not one of the {} classes",
                names.len()
            ));
        };
        Ok(LabelSet {
            names,
            numbers,
            silence,
        })
    }

    /// The names, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of this name.
    pub fn number(&self, name: &str) -> Option<i32> {
        self.numbers.get(name).copied()
    }

    /// The number of the class that fills gaps.
    pub fn silence(&self) -> i32 {
        self.silence
    }
}
