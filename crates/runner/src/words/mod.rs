//! Word error rates: the posteriors of a trained model are decoded with a lexicon and a language model.
//!
//! 1. The worker of a run writes the posteriors of the test set ([`posteriors`]).
//! 2. The coordinator decodes them in the background, while the next run trains ([`Background`]).
//! 3. The first run also decodes the validation set, to tune the scale of the language model ([`tuning`]).
//!
//! [`Units`] say what the classes of a model are, and a [`Recogniser`] has everything else that decoding needs.

mod background;
mod class_statistics;
mod decode_set;
mod error;
mod posterior_check;
pub mod posteriors;
mod prepare;
mod recogniser;
mod references;
pub mod text_files;
pub mod tuning;
mod units;

pub use background::{Background, DecodingResult, PosteriorFiles, Shared};
pub use class_statistics::ClassStatistics;
pub use decode_set::{DecodedSet, WordSettings, decode_set, decoding_pool};
pub use error::WordsError;
pub use posterior_check::check_posteriors;
pub use prepare::{DecodingFacts, Prepared, prepare};
pub use recogniser::{Recogniser, RecogniserFiles};
pub use references::References;
pub use units::Units;
