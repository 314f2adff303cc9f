//! Numbers in documents: marked blocks that are filled from results, so that no number is copied by hand.
//!
//! A block begins with a comment that says where its content is from and ends with another:
//!
//! ```text
//! <!-- from results/length-statistics/ljspeech.md -->
//! <!-- from results/quick speed -->
//! sorted is <!-- from results/quick value sorted speed_against_baseline 2 -->1.46<!-- end --> times as fast
//! of <!-- from results/length-statistics/ljspeech.csv cell sorted batches -->655<!-- end --> batches
//! ```
//!
//! A file is shown as it is, or one cell of a table in it. A folder that `padwise run` wrote is shown piece by piece, made from the record itself and not from
//! anything that was made from it before ([`PIECES`]); of the folder above several records, `study NAME` is a table of
//! [`crate::studies`]. A cell can be shown of any piece that is a table. A comment at the end of its line begins a block of lines, any other a
//! block within its line. What stands in a fence or behind a backtick is text about blocks, and is left alone.

mod blocks;
mod cell;
mod source;

use std::path::{Path, PathBuf};

use thiserror::Error;

use blocks::{Block, blocks};

pub use source::{PIECES, SourceError, content};

/// Why a document cannot be filled.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SpliceError {
    /// A file cannot be read.
    #[error("cannot read {}: {problem}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        problem: String,
    },
    /// A document without blocks.
    #[error(
        "{} has no block to fill: mark one with `<!-- from FILE -->` and `<!-- end -->`", .path.display()
    )]
    NoBlocks {
        /// The document.
        path: PathBuf,
    },
    /// A block that cannot be filled.
    #[error("{}:{line}: {source}", .path.display())]
    Block {
        /// The document.
        path: PathBuf,
        /// The line that the block begins in, from 1.
        line: usize,
        /// What is wrong, and what would be right.
        source: SourceError,
    },
}

/// A document with its blocks filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spliced {
    /// The whole text.
    pub text: String,
    /// How many blocks there are.
    pub blocks: usize,
    /// Those that showed something else: line and source.
    pub stale: Vec<(usize, String)>,
}

/// Fills the blocks of a document; sources are found from `root`.
pub fn splice(document: &Path, root: &Path) -> Result<Spliced, SpliceError> {
    let text = std::fs::read_to_string(document).map_err(|error| SpliceError::Read {
        path: document.into(),
        problem: error.to_string(),
    })?;
    splice_text(&text, document, root)
}

/// Fills the blocks of a text, which is called `document` when something is wrong with it.
pub fn splice_text(text: &str, document: &Path, root: &Path) -> Result<Spliced, SpliceError> {
    let at = |line: usize, source: SourceError| SpliceError::Block {
        path: document.into(),
        line,
        source,
    };
    let found = blocks(text).map_err(|(line, problem)| at(line, problem.into()))?;
    if found.is_empty() {
        return Err(SpliceError::NoBlocks {
            path: document.into(),
        });
    }
    let mut filled = String::new();
    let mut stale = Vec::new();
    let mut copied = 0;
    for block in &found {
        let content = content(block.source, root).map_err(|source| at(block.line, source))?;
        let content = fitted(block, &content);
        if content != text[block.content.clone()] {
            stale.push((block.line, block.source.to_owned()));
        }
        filled += &text[copied..block.content.start];
        filled += &content;
        copied = block.content.end;
    }
    filled += &text[copied..];
    Ok(Spliced {
        text: filled,
        blocks: found.len(),
        stale,
    })
}

/// Lines end with a line's end, and what stands within a line has none.
fn fitted(block: &Block, content: &str) -> String {
    if !block.is_lines {
        content.trim().to_owned()
    } else if content.is_empty() || content.ends_with('\n') {
        content.to_owned()
    } else {
        format!("{content}\n")
    }
}

#[cfg(test)]
mod tests;
