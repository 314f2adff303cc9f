//! Corpora by name: whatever a path or a config stands for, opened.

mod error;
mod in_memory;
mod kind;
mod open;
mod split;
mod survey;
mod view;

pub use error::CorporaError;
pub use kind::CorpusKind;
pub use open::{Opened, open_audio, open_features, sources};
pub use split::Split;
pub use survey::{Check, Survey};
