//! Compares two runs of the same experiment, for example on two machines, backends or commits.
//!
//! Strategies are matched by name. Losses and error rates are paired by seed; speed and memory are treated as independent samples.
//! Word error rates on the same test set are tested by a bootstrap over utterances and seeds.
//!
//! A metric is *better* or *worse* if it changed by more than the tolerance and the change is significant. It is the *same* if the
//! whole confidence interval of the change is within the tolerance, or if all values are equal. Everything else is *unclear*: fewer
//! than two seeds to test, a wide interval, or a busy machine. Records of different corpora or objectives are refused.

mod broken_runs;
mod busy;
mod comparison;
mod differences;
mod metric_comparison;
mod noise;
mod packs;
mod render;
mod task;
mod verdict;
mod words;

pub use comparison::Comparison;
pub use differences::Difference;
pub use metric_comparison::MetricComparison;
pub use render::{COLUMNS, render};
pub use task::OtherTask;
pub use verdict::{UnclearReason, Verdict};
