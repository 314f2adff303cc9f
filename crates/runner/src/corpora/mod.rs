//! Opens the corpus at a path or in a config, splits it and checks it.

mod audio_facts;
mod error;
mod in_memory;
mod kind;
mod open;
mod split;
mod survey;
mod verification;
mod view;

pub use audio_facts::AudioFacts;
pub use error::CorporaError;
pub use kind::CorpusKind;
pub use open::{Opened, open_audio, open_features, sources};
pub use split::Split;
pub use survey::{Check, Skipped, Survey};
pub use verification::verify;
