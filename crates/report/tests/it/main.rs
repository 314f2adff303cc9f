//! What is made from records: tables and sentences, files of a report, comparisons, studies.

mod common;
mod compare;
mod report;
mod studies;
mod tables;
