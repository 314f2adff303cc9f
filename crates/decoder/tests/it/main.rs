//! Tests of everything that reads files, and of the search.

mod arpa;
mod brute_force;
mod golden;
mod gutenberg;
mod language_model;
mod librispeech;
mod network_errors;
mod pruning;
mod reference_labels;
mod task;
