//! A line of an ARPA file: a log probability, the words and a back-off weight.

use std::f64::consts::LN_10;

use padwise_sampler::excerpt::excerpt;

use super::MAX_ORDER;
use crate::error::DecoderError;
use crate::lines::Lines;

/// Numbers are smaller than this in size, so that no sum of them is infinite.
const LARGEST: f64 = 1e9;

/// The numbers in a line, as natural logarithms.
pub(super) struct Numbers {
    pub score: f32,
    pub backoff: f32,
}

/// Splits the current line into its numbers and its words, of which there are `order`.
pub(super) fn fields<'t>(
    lines: &'t Lines,
    order: usize,
    highest: usize,
) -> Result<(Numbers, [&'t str; MAX_ORDER]), DecoderError> {
    let mut fields = lines.text().split_ascii_whitespace();
    let score = number(lines, "log probability", fields.next().unwrap_or_default())?;
    let mut words = [""; MAX_ORDER];
    for word in &mut words[..order] {
        *word = fields.next().ok_or_else(|| wrong_fields(lines, order))?;
    }
    let backoff = match fields.next() {
        Some(backoff) => number(lines, "back-off weight", backoff)?,
        None => 0.0,
    };
    if fields.next().is_some() {
        return Err(wrong_fields(lines, order));
    }
    if score > 0.0 {
        let text = excerpt(lines.text());
        let reason = format!(
            "positive log probability in `{text}`: expected the base-10 logarithm of a probability"
        );
        return Err(lines.error(reason));
    }
    if order == highest && backoff != 0.0 {
        let text = excerpt(lines.text());
        let reason = format!("`{text}`: {order}-grams, the longest, have no back-off weight");
        return Err(lines.error(reason));
    }
    Ok((Numbers { score, backoff }, words))
}

fn wrong_fields(lines: &Lines, order: usize) -> DecoderError {
    let words = if order == 1 {
        "a word"
    } else {
        &format!("{order} words")
    };
    let text = excerpt(lines.text());
    lines.error(format!(
        "`{text}`: expected a log probability, {words} and perhaps a back-off weight"
    ))
}

/// A base-10 logarithm as a natural one.
fn number(lines: &Lines, kind: &str, text: &str) -> Result<f32, DecoderError> {
    let number = text.parse().ok();
    let number = number.filter(|number: &f64| number.abs() < LARGEST);
    let number = number.ok_or_else(|| {
        let text = excerpt(text);
        lines.error(format!(
            "{kind} `{text}`: expected a number between -1e9 and 1e9"
        ))
    })?;
    Ok((number * LN_10) as f32)
}
