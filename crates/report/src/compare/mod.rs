//! Compares two runs of the same experiment, for example on two machines, backends or commits.
//!
//! Strategies are matched by name. Losses and error rates are paired by seed; speed and memory are treated as independent samples.
//! A metric is *worse* if it degraded by more than the tolerance and the change is significant across seeds. It is *unclear* if the
//! change is not significant, or there are too few seeds to test. Word error rates on the same test set are tested by a bootstrap
//! over utterances and seeds. Records of different corpora or objectives are refused.

mod busy;
mod comparison;
mod differences;
mod packs;
mod render;
mod task;
mod words;

pub use comparison::{Compared, Comparison, Verdict};
pub use differences::Difference;
pub use render::{COLUMNS, render};
pub use task::OtherTask;
