//! The one-line form of a strategy, for command lines, table rows and file names.
//!
//! An order, then any options, joined by commas: `semi-sorted:lrf=0.1,dynamic=16,shuffle-batches`. What `print`
//! writes, `parse` reads back to the same strategy.

mod grammar;
mod options;
mod parse;
mod print;
mod value;

pub use grammar::GRAMMAR;
