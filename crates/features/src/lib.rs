#![doc = include_str!("../README.md")]
//!
//! ## Modules
//!
//! | type | description |
//! | --- | --- |
//! | [`front_end::FrontEnd`] | a front end: its settings; its [`Extractor`](front_end::Extractor) computes features |
//! | [`Corpus`] | utterances with features, and optionally labels, speakers and texts |
//! | [`normalisation::Normalised`] | any corpus, normalised to mean 0 and variance 1 |
//! | [`states::StateLabelled`] | any corpus, with states of phones as labels |
#![cfg_attr(
    feature = "formats",
    doc = "| [`pack::Pack`] | a feature pack, memory-mapped: the format that training reads |"
)]
#![cfg_attr(
    feature = "formats",
    doc = "| [`kaldi::KaldiCorpus`], [`npy::NpyCorpus`] | features computed by other tools |"
)]
#![cfg_attr(
    feature = "formats",
    doc = "| [`transcripts::TargetRules`] | encodes transcripts as target sequences |"
)]
#![cfg_attr(
    feature = "raw",
    doc = "| [`raw::RawCorpus`] | plain arrays of a whole corpus |"
)]
#![cfg_attr(
    feature = "layouts",
    doc = "| [`audio_corpus::AudioCorpus`] | WAV and FLAC files, converted to features on demand |"
)]
#![cfg_attr(
    feature = "synthetic",
    doc = "| [`SyntheticCorpus`] | a corpus generated on demand; no files needed |"
)]
#![cfg_attr(
    feature = "formats",
    doc = "\n[`prepare`] converts any corpus into a pack, on all cores. An interrupted run resumes."
)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod audio;
#[cfg(feature = "layouts")]
pub mod audio_corpus;
pub mod corpus;
pub mod files;
#[cfg(feature = "formats")]
pub mod formats;
pub mod front_end;
#[cfg(feature = "formats")]
pub mod labels;
#[cfg(feature = "layouts")]
pub mod layouts;
mod matrix;
pub mod normalisation;
#[cfg(feature = "formats")]
pub mod prepare;
pub mod states;
#[cfg(feature = "synthetic")]
mod synthetic;
#[cfg(feature = "formats")]
pub mod transcripts;

pub use corpus::{Corpus, CorpusError};
pub use files::FileError;
#[cfg(feature = "raw")]
pub use formats::raw;
#[cfg(feature = "formats")]
pub use formats::{kaldi, npy, pack};
pub use matrix::Matrix;
#[cfg(feature = "synthetic")]
pub use synthetic::{PhoneSpan, Synthetic, SyntheticConfig, SyntheticCorpus, SyntheticError};
