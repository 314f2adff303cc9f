//! Names and values in a part of a line.

use std::str::FromStr;

use crate::error::ParseStrategyError as Error;
use crate::suggestion::suggest;

/// Splits off the value after the first separator, if there is one.
pub(super) fn split(text: &str, separator: char) -> (&str, Option<&str>) {
    match text.split_once(separator) {
        Some((name, rest)) => (name, Some(rest)),
        None => (text, None),
    }
}

/// A count or a number of frames.
pub(super) fn number(name: &str, value: &str) -> Result<u32, Error> {
    parse(name, value, "a whole number from 1 to 2147483647")
}

pub(super) fn parse<T: FromStr>(
    name: &str,
    value: &str,
    expected: &'static str,
) -> Result<T, Error> {
    value.parse().map_err(|_| Error::Value {
        name: name.into(),
        value: value.into(),
        expected,
    })
}

pub(super) fn unknown(kind: &'static str, name: &str, valid: Vec<&'static str>) -> Error {
    Error::UnknownName {
        kind,
        name: name.into(),
        suggestion: suggest(name, &valid),
        valid,
    }
}
