//! Findings in sentences: one answer per question, and a description of what was run.
//!
//! "No significant difference" is an answer. With one seed no test is possible. The text then says so once and gives no
//! p-values.

mod about;
mod accuracy;
mod answer;
mod expectations;
mod learning;
mod questions;
mod recommendation;
mod reproduction;
mod time_to_loss;
mod verdict;
mod workers;

pub use about::what_was_run;
pub use answer::Answer;
pub use questions::answers;
pub use recommendation::Recommendation;
pub use reproduction::{RecordedVersion, Reproduction, reproduce, reproduction};
pub use verdict::verdict;
