//! Fills marked blocks of documents with recorded numbers, so that nobody copies numbers by hand.
//!
//! A block starts with a comment that names its source and ends with `<!-- end -->`:
//!
//! ```text
//! <!-- from results/length-statistics/ljspeech.md -->
//! <!-- from results/quick speed -->
//! sorted is <!-- from results/quick value sorted speed_against_baseline 2 -->1.46<!-- end -->× faster
//! of <!-- from results/length-statistics/ljspeech.csv cell sorted batches -->655<!-- end --> batches
//! ```
//!
//! The source is one of:
//!
//! - a file, inserted as it is;
//! - a results folder and a piece of its report ([`PIECES`]), computed from the recorded epochs;
//! - a folder of results folders and `study NAME`, a table of [`crate::studies`];
//! - any of these that is a table, followed by `cell ROW COLUMN [DECIMALS]`.
//!
//! Sources are files of the document's own project: see [`SourceFolder::of_document`].
//!
//! A marker at the end of its line starts a block of whole lines; any other marker starts a block within its line. Markers inside a
//! code fence or directly after a backtick are ignored.

mod blocks;
mod cell;
mod root;
mod source;

use std::path::{Path, PathBuf};

use thiserror::Error;

use blocks::{Block, blocks};

use crate::record::{MAX_TABLE_BYTES, ReadError, text_of};

pub use root::SourceFolder;
pub use source::{PIECES, SourceError, content};

/// Why a document cannot be filled.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SpliceError {
    /// A document cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The document has no blocks.
    #[error(
        "{} has no block to fill: mark one with `<!-- from FILE -->` and `<!-- end -->`", .path.display()
    )]
    NoBlocks {
        /// The document.
        path: PathBuf,
    },
    /// A block cannot be filled.
    #[error("{}:{line}: {source}", .path.display())]
    Block {
        /// The document.
        path: PathBuf,
        /// The line of the block, from 1.
        line: usize,
        /// What is wrong, and how to fix it.
        source: SourceError,
    },
}

/// A document with its blocks filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spliced {
    /// The whole text.
    pub text: String,
    /// The number of blocks.
    pub blocks: usize,
    /// The blocks that were out of date: line and source.
    pub stale: Vec<(usize, String)>,
}

/// Fills the blocks of a document. Paths of sources are relative to `base` and must not leave the document's project.
pub fn splice(document: &Path, base: &Path) -> Result<Spliced, SpliceError> {
    let text = text_of(document, MAX_TABLE_BYTES)?;
    splice_text(&text, document, &SourceFolder::of_document(document, base))
}

/// Fills the blocks of a text; `document` names it in errors.
pub fn splice_text(
    text: &str,
    document: &Path,
    folder: &SourceFolder,
) -> Result<Spliced, SpliceError> {
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
        let content = content(block.source, folder).map_err(|source| at(block.line, source))?;
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

/// A block of lines ends with a newline; a block within a line has none.
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
