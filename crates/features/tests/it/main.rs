//! All integration tests of this crate in one binary, because linking one per file takes minutes.

mod audio_corpus;
mod folder;
mod front_end_audio;
mod front_end_common;
mod front_end_config;
mod front_end_golden;
mod front_end_properties;
mod hostile_archives;
mod hostile_audio;
mod hostile_files;
mod kaldi;
mod labels;
mod layouts;
mod manifests;
mod non_finite;
mod normalisation;
mod npy;
mod pack;
mod pack_raw;
mod pack_resume;
mod segments;
mod states;
mod support;
mod synthetic;
mod synthetic_errors;
mod transcripts;
