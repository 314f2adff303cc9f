//! What `padwise run` records, and everything that is made from recorded files alone.
//!
//! [`record`] has the shape of the files and reads them; [`findings`] holds every strategy against a baseline, with the tests
//! of [`statistics`]; [`narrative`], [`tables`] and [`plots`] say, list and draw what was found, and [`page`] and [`mod@report`] put it
//! together. [`compare`] takes two records, [`studies`] several, [`splice`] puts numbers into documents. This crate knows neither the model nor the
//! corpus, so it builds in seconds, and a result can be reported on a machine that could not have computed it.
//!
//! ```
//! use std::path::Path;
//!
//! use padwise_report::findings::Findings;
//! use padwise_report::record::Recorded;
//! use padwise_report::narrative;
//!
//! # let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/one-seed"));
//! let findings = Findings::of(Recorded::open(folder)?);
//! assert_eq!(findings.baseline_name(), Some("random"));
//! assert_eq!(
//!     narrative::verdict(&findings, 1),
//!     "sorted: 1.47× faster than random at a loss higher by 0.205"
//! );
//! # Ok::<(), padwise_report::record::ReadError>(())
//! ```

pub mod compare;
pub mod files;
pub mod findings;
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
