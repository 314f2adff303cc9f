//! A list of whole numbers as one CSV field, separated by spaces.

use std::fmt::Write;
use std::num::ParseIntError;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(numbers: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
    let mut text = String::with_capacity(2 * numbers.len());
    for (index, number) in numbers.iter().enumerate() {
        let space = if index > 0 { " " } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{space}{number}");
    }
    serializer.serialize_str(&text)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<u32>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: Result<Vec<u32>, ParseIntError> = text.split(' ').map(str::parse).collect();
    numbers.map_err(|_| {
        D::Error::custom("invalid errors: expected whole numbers with one space between them")
    })
}
