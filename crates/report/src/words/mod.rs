//! Findings in words: an answer of a sentence or two for each question, and what was run.
//!
//! "Indistinguishable" is an answer. Where there is one seed, no test is possible, and that is said once and plainly instead
//! of a p that nobody could have.

mod about;
mod answers;
mod learning;
mod questions;

pub use about::{reproduce, what_was_run};
pub use answers::verdict;
pub use questions::{Answer, answers};

use crate::statistics::Change;

/// A p as a table has it.
pub(crate) fn p_value(change: Change) -> Option<String> {
    let p = change.tested?.p;
    Some(if p < 0.001 {
        "< 0.001".into()
    } else if p < 0.1 {
        format!("{p:.3}")
    } else {
        format!("{p:.2}")
    })
}

/// A p within a sentence.
fn p_phrase(change: Change) -> Option<String> {
    let p = p_value(change)?;
    Some(if p.starts_with('<') {
        format!("p {p}")
    } else {
        format!("p = {p}")
    })
}

/// A number with its sign, a true minus, and no sign before nothing.
pub(crate) fn signed(value: f64, decimals: usize) -> String {
    let shown = format!("{:.decimals$}", value.abs());
    if shown.chars().all(|c| c == '0' || c == '.') {
        shown
    } else if value < 0.0 {
        format!("−{shown}")
    } else {
        format!("+{shown}")
    }
}

/// Things in a row: a, b and c.
fn listed(things: &[String]) -> String {
    match things {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn counted(count: u64, what: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {what}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_lists() {
        assert_eq!(signed(-0.0004, 3), "0.000");
        assert_eq!(signed(-0.25, 2), "−0.25");
        assert_eq!(signed(1.0, 1), "+1.0");
        let abc = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(listed(&abc), "a, b and c");
        assert_eq!(listed(&abc[..1]), "a");
    }
}
