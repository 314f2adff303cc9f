//! Speech corpora: audio in, features out, one packed file to train from.
//!
//! Everything is a [`Corpus`]: lengths that are known before anything is read, and frames that are copied straight into
//! the caller's buffer, in any order, from any thread.
//!
//! | corpus | what it is |
//! | --- | --- |
//! | [`pack::Pack`] | our own file, mapped into memory: what training reads |
//! | [`audio_corpus::AudioCorpus`] | WAV and FLAC files through a [front end](front_end::FrontEnd), laid out as [LibriSpeech, LJSpeech, CHiME-4 or a manifest](layouts) |
//! | [`kaldi::KaldiCorpus`], [`npy::NpyCorpus`], [`raw::RawCorpus`] | features that others computed |
//! | [`SyntheticCorpus`] | made up as it is read, for those who have no data at hand |
//! | [`normalisation::Normalised`] | any of these, with mean 0 and variance 1 |
//!
//! ```
//! use padwise_features::{Corpus, SyntheticConfig, SyntheticCorpus};
//! use padwise_features::normalisation::{Normalisation, Normalised};
//!
//! let corpus = SyntheticCorpus::new(SyntheticConfig { utterances: 20, ..Default::default() })?;
//! let training: Vec<usize> = (0..15).collect();
//! let corpus = Normalised::fit(corpus, Normalisation::Global, &training)?;
//!
//! // Ten frames of utterance 3, from frame 50 on, into a buffer of one's own.
//! let (mut features, mut labels) = (vec![0.0; 10 * corpus.dims()], vec![0; 10]);
//! corpus.read_into(3, 50, &mut features, &mut labels)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`prepare::pack_sources`] turns audio into a pack and [`prepare::pack_corpus`] any other corpus; both use all cores, survive
//! being killed, and go on where they stopped.

pub mod audio;
pub mod audio_corpus;
pub mod corpus;
pub mod files;
pub mod formats;
pub mod front_end;
pub mod labels;
pub mod layouts;
mod matrix;
pub mod normalisation;
pub mod prepare;
mod synthetic;

pub use corpus::{Corpus, CorpusError};
pub use files::FileError;
pub use formats::{kaldi, npy, pack, raw};
pub use matrix::Matrix;
pub use synthetic::{PhoneSpan, Synthetic, SyntheticConfig, SyntheticCorpus, SyntheticError};
