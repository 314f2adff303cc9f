//! Corpora by name: whatever a path or a config stands for, opened.

mod config;
mod error;
mod held;
mod joined;
mod layout;
mod open;
mod split;
mod subset;
mod survey;

pub use config::{CorpusConfig, Validation};
pub use error::CorporaError;
pub use layout::Layout;
pub use open::{Opened, open_audio, open_features, sources};
pub use split::Split;
pub use survey::{Check, Survey};
