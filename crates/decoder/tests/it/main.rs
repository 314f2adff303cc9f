//! Tests of everything that reads files.

mod language_model;
