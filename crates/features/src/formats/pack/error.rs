//! Errors of reading and writing packs.

use std::path::{Path, PathBuf};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::corpus::CorpusError;
use crate::files::FileError;

/// A pack that cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PackError {
    /// I/O error, not a pack, damaged or unfinished.
    #[error(transparent)]
    File(#[from] FileError),
    /// An utterance of the source corpus cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// The corpus cannot be packed.
    #[error("cannot pack this corpus: {reason}")]
    Setup {
        /// Why not.
        reason: String,
    },
    /// The pack already exists.
    #[error("{}: already exists; remove it to prepare the corpus again", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another process is writing the pack.
    #[error("{}: another process is writing it; wait for it to finish", .path.display())]
    Busy {
        /// The unfinished file.
        path: PathBuf,
    },
    /// The file in place of the unfinished pack is something else, or damaged.
    #[error("{}: {reason}", .path.display())]
    CannotResume {
        /// The unfinished file.
        path: PathBuf,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// An utterance has the wrong shape, a value that is not finite, or an invalid label.
    #[error("utterance {id}: {reason}")]
    Utterance {
        /// Id of the utterance.
        id: String,
        /// What is wrong.
        reason: String,
    },
    /// The number of utterances is not the announced one.
    #[error(
        "{appended} of {announced} announced utterances are written: append or leave out each of them once"
    )]
    Count {
        /// Number of utterances written.
        appended: usize,
        /// Number of utterances announced.
        announced: usize,
    },
    /// Every utterance was left out.
    #[error("none of the {utterances} utterances could be read: nothing to pack")]
    NothingLeft {
        /// Number of utterances.
        utterances: usize,
    },
}

impl PackError {
    pub(crate) fn setup(reason: impl ToString) -> Self {
        let reason = reason.to_string();
        PackError::Setup { reason }
    }
}

/// What is wrong with a part of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// Its content is invalid.
    Malformed(String),
    /// Its checksum does not match.
    Checksum { expected: u64, found: u64 },
}

impl Damage {
    pub fn malformed<T>(reason: impl Into<String>) -> Result<T, Damage> {
        Err(Damage::Malformed(reason.into()))
    }

    /// Checks bytes against their checksum.
    pub fn check(bytes: &[u8], expected: u64) -> Result<(), Damage> {
        match xxh3_64(bytes) {
            found if found == expected => Ok(()),
            found => Err(Damage::Checksum { expected, found }),
        }
    }

    /// Converts to the error for a part of a file.
    pub fn of(self, path: &Path, part: &str) -> FileError {
        let reason = match self {
            Damage::Malformed(reason) => format!("{part}: {reason}; prepare the corpus again"),
            Damage::Checksum { expected, found } => format!(
                "{part} is damaged: checksum {found:016x}, expected {expected:016x}; copy the file again, or prepare the corpus again"
            ),
        };
        FileError::content(path, reason)
    }
}
