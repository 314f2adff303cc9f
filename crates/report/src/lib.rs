//! What `padwise run` records, and everything that is made from recorded files alone.
//!
//! [`record`] has the shape of the files and reads them. This crate knows neither the model nor the corpus, so it builds in
//! seconds, and a result can be reported on a machine that could not have computed it.

pub mod compare;
pub mod files;
pub mod findings;
pub mod page;
pub mod plots;
pub mod record;
pub mod report;
pub mod splice;
pub mod statistics;
pub mod tables;
pub mod words;
