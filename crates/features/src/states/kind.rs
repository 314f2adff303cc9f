//! The kinds of states.

use serde::{Deserialize, Serialize};

/// Maximum number of states. Labels are stored in 16 bits, and one value means "no label".
pub const MOST_STATES: usize = u16::MAX as usize;

/// The classes of frames, derived from phone labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StateKind {
    /// The labels of the corpus.
    #[default]
    Phones,
    /// Three states per phone: its first, middle and last third.
    Thirds,
    /// Thirds of phones in context, tied by decision trees into at most this many states.
    Tied(#[cfg_attr(feature = "schemars", schemars(range(min = 1, max = MOST_STATES)))] u32),
}
