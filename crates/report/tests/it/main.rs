//! Integration tests: reading records, tables and sentences, files of a report, plots, comparisons, studies.

mod common;
mod compare;
mod compare_busy;
mod compare_corpus;
mod compare_verdicts;
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
