//! Integration tests: tables and sentences, files of a report, plots, comparisons, studies.

mod common;
mod compare;
mod page;
mod plots;
mod report;
mod studies;
mod tables;
