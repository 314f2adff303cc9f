//! The header of an ARPA file: how many n-grams of each order it has.

use padwise_sampler::excerpt::excerpt;

use super::super::limits::{ModelLimits, bytes_text, needed_bytes};
use super::MAX_ORDER;
use crate::error::DecoderError;
use crate::lines::Lines;

/// The most n-grams: they are numbered with 32 bits.
const MOST_N_GRAMS: u64 = u32::MAX as u64 - 1;

/// Reads up to the line `\1-grams:` and returns the announced numbers of n-grams.
pub(super) fn header(lines: &mut Lines, limits: ModelLimits) -> Result<Vec<u64>, DecoderError> {
    loop {
        if !lines.advance()? {
            return Err(lines.error("no line `\\data\\`: not a language model in ARPA format"));
        }
        match lines.text() {
            "\\data\\" => break,
            "iARPA" => {
                let reason =
                    "an intermediate file of IRSTLM: convert it to ARPA with compile-lm --text=yes";
                return Err(lines.error(reason));
            }
            // Some tools write a description first.
            _ => {}
        }
    }
    let mut counts: Vec<u64> = Vec::new();
    while lines.advance()? {
        let text = lines.text();
        if text.is_empty() {
            continue;
        }
        if text.starts_with('\\') {
            break;
        }
        let count = text.strip_prefix("ngram").and_then(|text| {
            let (order, count) = text.split_once('=')?;
            let order: usize = order.trim().parse().ok()?;
            let count: u64 = count.trim().parse().ok()?;
            (order == counts.len() + 1).then_some(count)
        });
        let Some(count) = count else {
            let (text, order) = (excerpt(text), counts.len() + 1);
            let reason = format!("`{text}`: expected `ngram {order}=COUNT` or `\\1-grams:`");
            return Err(lines.error(reason));
        };
        counts.push(count);
        if counts.len() > MAX_ORDER {
            let reason = format!("n-grams of more than {MAX_ORDER} words: prune the model");
            return Err(lines.error(reason));
        }
        check_size(lines, &counts, limits)?;
    }
    if counts.is_empty() {
        return Err(lines.error("no counts after `\\data\\`: expected `ngram 1=COUNT`"));
    }
    Ok(counts)
}

/// Checks that a model with these numbers of n-grams fits into memory.
pub(super) fn check_size(
    lines: &Lines,
    counts: &[u64],
    limits: ModelLimits,
) -> Result<(), DecoderError> {
    let needed = needed_bytes(counts);
    let all = counts.iter().fold(0, |all: u64, n| all.saturating_add(*n));
    if needed > limits.max_bytes {
        return Err(too_large(lines, all, needed, limits));
    }
    if all > MOST_N_GRAMS {
        let reason = format!("{all} n-grams, more than {MOST_N_GRAMS}: prune the model");
        return Err(lines.error(reason));
    }
    Ok(())
}

pub(super) fn too_large(
    lines: &Lines,
    n_grams: u64,
    needed: u64,
    limits: ModelLimits,
) -> DecoderError {
    let (needed, limit) = (bytes_text(needed), bytes_text(limits.max_bytes));
    lines.error(format!(
        "{n_grams} n-grams need about {needed}, more than the limit of {limit}: prune the model, or raise the limit"
    ))
}
