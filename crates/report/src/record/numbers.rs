//! A list of numbers as one CSV field, separated by spaces.

use std::fmt::{Display, Write};
use std::str::FromStr;

use padwise_sampler::excerpt::excerpt;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<T: Display, S: Serializer>(
    numbers: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut text = String::with_capacity(2 * numbers.len());
    for (index, number) in numbers.iter().enumerate() {
        let space = if index > 0 { " " } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{space}{number}");
    }
    serializer.serialize_str(&text)
}

pub(super) fn deserialize<'de, T: FromStr, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: Result<Vec<T>, T::Err> = text.split(' ').map(str::parse).collect();
    numbers.map_err(|_| {
        let text = excerpt(&text);
        D::Error::custom(format!(
            "invalid list `{text}`: expected numbers with one space between them"
        ))
    })
}
