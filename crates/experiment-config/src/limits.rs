//! Limits of values and text in a config. They turn a typing error into a message before anything is allocated or printed.

use std::ops::RangeInclusive;
use std::path::Path;

use padwise_sampler::excerpt::{excerpt, is_unprintable};

use crate::error::KeyError;

/// The largest number of epochs.
pub(crate) const MAX_EPOCHS: u64 = 1_000_000;
/// The largest number of seeds.
pub(crate) const MAX_SEEDS: usize = 10_000;
/// The largest batch size of training and validation, in utterances.
pub(crate) const MAX_BATCH: u64 = 1_000_000;
/// The largest number of warm-up steps.
pub(crate) const MAX_WARM_UP_STEPS: u64 = 10_000;
/// The largest number of workers of a run.
pub(crate) const MAX_WORKERS: u64 = 1024;
/// The longest time without progress, in seconds.
pub(crate) const MAX_DEADLINE_SECONDS: f64 = 86_400.0;
/// The largest number of loader threads.
pub(crate) const MAX_THREADS: u64 = 1024;
/// The largest number of LSTM layers.
pub(crate) const MAX_LAYERS: u64 = 1000;
/// The largest hidden size.
pub(crate) const MAX_HIDDEN: u64 = 65_536;
/// The largest size of the model's parameters, in bytes.
pub(crate) const MAX_MODEL_BYTES: u128 = 64_000_000_000;
/// The largest weight of a language model.
pub(crate) const MAX_LM_SCALE: f64 = 100.0;
/// The largest penalty or bonus per word.
pub(crate) const MAX_WORD_PENALTY: f64 = 100.0;
/// The largest weight of class priors.
pub(crate) const MAX_PRIOR_SCALE: f64 = 2.0;
/// The largest number of hypotheses per frame.
pub(crate) const MAX_ACTIVE: u64 = 10_000_000;
/// The largest size of a language model, in GB.
pub(crate) const MAX_LM_GB: f64 = 1024.0;
/// The largest number of additional utterances for validation or test.
pub(crate) const MAX_FRESH: u64 = u32::MAX as u64;
/// The longest name of an experiment, in bytes. File systems allow 255, and suffixes are added.
pub(crate) const MAX_NAME: usize = 100;
/// The longest title or name of a strategy, in characters.
pub(crate) const MAX_TEXT: usize = 200;

/// The last part of a key.
fn name_of(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// Checks that a count is in its range. `key` is the full key.
pub(crate) fn count(key: &str, value: u64, range: RangeInclusive<u64>) -> Result<(), KeyError> {
    let (least, most) = (range.start(), range.end());
    let limit = match value {
        value if value < *least => format!("at least {least}"),
        value if value > *most => format!("at most {most}"),
        _ => return Ok(()),
    };
    let problem = format!("{} is {value}: it must be {limit}", name_of(key));
    Err(KeyError::new(key, problem))
}

/// Checks that a number is in its range.
pub(crate) fn number(key: &str, value: f64, range: RangeInclusive<f64>) -> Result<(), KeyError> {
    let (least, most) = (range.start(), range.end());
    let limit = match value {
        value if value < *least => format!("at least {least}"),
        value if value > *most => format!("at most {most}"),
        value if value.is_nan() => format!("from {least} to {most}"),
        _ => return Ok(()),
    };
    let problem = format!("{} is {value}: it must be {limit}", name_of(key));
    Err(KeyError::new(key, problem))
}

/// Checks an optional number that must be finite and above zero.
pub(crate) fn above_zero(key: &str, value: Option<f64>, remedy: &str) -> Result<(), KeyError> {
    match value {
        Some(value) if !(value > 0.0 && value.is_finite()) => Err(KeyError::new(
            key,
            format!(
                "{} is {value}: it must be finite and above 0{remedy}",
                name_of(key)
            ),
        )),
        _ => Ok(()),
    }
}

/// Checks text that is printed in tables and on terminals: not too long, and without control or invisible characters.
pub(crate) fn printable(key: &str, text: &str) -> Result<(), KeyError> {
    let name = name_of(key);
    if let Some(character) = text.chars().find(|&c| is_unprintable(c)) {
        return Err(KeyError::new(
            key,
            format!(
                "{name} contains the unprintable character U+{:04X}: it must be text on one line, without control or invisible characters",
                u32::from(character)
            ),
        ));
    }
    if text.chars().count() > MAX_TEXT {
        return Err(KeyError::new(
            key,
            format!(
                "{name} is longer than {MAX_TEXT} characters: shorten `{}`",
                excerpt(text)
            ),
        ));
    }
    Ok(())
}

/// Checks a path, which reports print.
pub(crate) fn printable_path(key: &str, path: &Path) -> Result<(), KeyError> {
    let text = path.to_string_lossy();
    match text.chars().find(|&c| is_unprintable(c)) {
        None => Ok(()),
        Some(_) => Err(KeyError::new(
            key,
            format!(
                "path `{}` contains an unprintable character: rename the file",
                excerpt(&text)
            ),
        )),
    }
}
