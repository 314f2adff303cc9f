//! Tests of everything that reads files.

mod arpa;
mod gutenberg;
mod language_model;
