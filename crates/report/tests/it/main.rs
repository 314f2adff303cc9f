//! Integration tests: reading records, tables and sentences, files of a report, plots, comparisons, studies.

mod common;
mod compare;
mod compare_corpus;
mod page;
mod patience;
mod plots;
mod record;
mod record_values;
mod report;
mod studies;
mod tables;
mod words;
mod workers;
