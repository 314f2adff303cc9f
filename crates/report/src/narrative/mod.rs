//! Findings in words: an answer of a sentence or two for each question, and what was run.
//!
//! "Indistinguishable" is an answer. Where there is one seed, no test is possible, and that is said once and plainly instead
//! of a p that nobody could have.

mod about;
mod answer;
mod learning;
mod questions;
mod reproduction;
mod verdict;

pub use about::what_was_run;
pub use answer::Answer;
pub use questions::answers;
pub use reproduction::{RecordedVersion, Reproduction, reproduce, reproduction};
pub use verdict::verdict;
