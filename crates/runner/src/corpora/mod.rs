//! Corpora by name: whatever a path or a config stands for, opened.

mod error;
mod layout;
mod open;
mod survey;

pub use error::CorporaError;
pub use layout::Layout;
pub use open::{CorpusConfig, Opened, open_audio, open_features, sources};
pub use survey::{Check, Survey};
