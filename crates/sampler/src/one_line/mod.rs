//! The one-line form of a strategy, for command lines, table rows and file names.
//!
//! An order followed by options, separated by commas: `semi-sorted:lrf=0.1,dynamic=16,shuffle-batches`. `parse` reads
//! the output of `print` back to the same strategy. `grammar.txt` describes the form for help texts.

mod grammar;
mod options;
mod parse;
mod print;
mod value;

pub use grammar::GRAMMAR;
