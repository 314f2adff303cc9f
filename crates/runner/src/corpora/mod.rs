//! Opens the corpus at a path or in a config, splits it and checks it.

mod audio_facts;
mod error;
mod evaluation;
mod front_end;
mod held_out;
mod in_memory;
mod kind;
mod open;
mod speakers;
mod split;
mod states;
mod supervision;
mod survey;
mod target_survey;
mod verification;
mod view;

pub use audio_facts::AudioFacts;
pub use error::CorporaError;
pub use evaluation::evaluation_plan;
pub(crate) use front_end::{DEFAULT_FRONT_END, read_front_end};
pub use kind::CorpusKind;
pub use open::{Content, Found, OpenOptions, Opened, open, open_audio};
pub use speakers::{list_speakers, speakers_of};
pub use split::Split;
pub use supervision::{Supervision, TooShort, frames_per_label, without_repeats};
pub use survey::{Check, Skipped, Survey};
pub use verification::verify;
pub use view::View;
