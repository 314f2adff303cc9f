//! Tables, plots, a page and comparisons from the results folders that `padwise run` writes.
//!
//! - [`record`] reads a results folder and defines its metrics.
//! - [`findings`] compares every strategy with a baseline, using the tests of [`statistics`].
//! - [`narrative`], [`tables`] and [`plots`] present the findings as sentences, tables and plots. [`page`] and [`mod@report`]
//!   combine them into files.
//! - [`compare`] compares two results folders, and [`studies`] combines several.
//! - [`splice`] fills documents with recorded numbers.
//!
//! This crate depends on neither the model nor the corpus. It builds fast, and you can report results on any machine.
//!
//! ```
//! use std::path::Path;
//!
//! use padwise_report::findings::Findings;
//! use padwise_report::narrative;
//! use padwise_report::record::Recorded;
//!
//! # let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/one-seed"));
//! let findings = Findings::of(Recorded::open(folder)?);
//! assert_eq!(findings.baseline_name(), Some("random"));
//! assert_eq!(
//!     narrative::verdict(&findings, 1),
//!     "sorted: 1.47× faster than random (398 vs 272 utt/s); loss 0.205 higher (1.526 vs 1.321)"
//! );
//! # Ok::<(), padwise_report::record::ReadError>(())
//! ```

pub mod compare;
pub mod files;
pub mod findings;
mod markdown;
pub mod narrative;
pub mod page;
pub mod plots;
pub mod record;
pub mod report;
pub mod splice;
pub mod statistics;
pub mod studies;
pub mod tables;
pub mod text;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
