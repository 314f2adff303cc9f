//! What can be wrong with a pack, or with what is to be packed.

use std::path::{Path, PathBuf};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::corpus::CorpusError;
use crate::files::FileError;

/// A pack that cannot be read, or cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PackError {
    /// The system refused, or the file is no pack, or a damaged or unfinished one.
    #[error(transparent)]
    File(#[from] FileError),
    /// An utterance of the corpus that is packed cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A setup that no pack can have.
    #[error("this corpus cannot be packed: {reason}")]
    Setup {
        /// What is wrong with it.
        reason: String,
    },
    /// There is a finished pack already.
    #[error("{}: already there: remove it to prepare the corpus again", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another process is writing it.
    #[error("{}: another process is preparing it: wait for that one to end", .path.display())]
    Busy {
        /// The unfinished file.
        path: PathBuf,
    },
    /// What is there of it was made another way, or is no unfinished pack.
    #[error("{}: {reason}", .path.display())]
    CannotResume {
        /// The unfinished file.
        path: PathBuf,
        /// What is there, and what to do.
        reason: String,
    },
    /// An utterance of another shape, with a number that is none, or with a label of no class.
    #[error("utterance {id}: {reason}")]
    Utterance {
        /// Its id.
        id: String,
        /// What is wrong with it.
        reason: String,
    },
    /// More utterances were appended than were announced, or fewer.
    #[error(
        "{appended} of {announced} utterances were appended: append each, or leave it out by name"
    )]
    Count {
        /// How many were appended.
        appended: usize,
        /// How many were announced.
        announced: usize,
    },
    /// Every utterance was left out.
    #[error("none of {utterances} utterances could be read: there is nothing to pack")]
    NothingLeft {
        /// How many there were.
        utterances: usize,
    },
}

impl PackError {
    pub(super) fn setup(reason: impl ToString) -> Self {
        let reason = reason.to_string();
        PackError::Setup { reason }
    }
}

/// What is wrong with a part of a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Damage {
    /// It says something impossible.
    Malformed(String),
    /// It changed since it was written.
    Checksum { expected: u64, found: u64 },
}

impl Damage {
    pub fn malformed<T>(reason: impl Into<String>) -> Result<T, Damage> {
        Err(Damage::Malformed(reason.into()))
    }

    /// Whether bytes have the checksum that they were written with.
    pub fn check(bytes: &[u8], expected: u64) -> Result<(), Damage> {
        match xxh3_64(bytes) {
            found if found == expected => Ok(()),
            found => Err(Damage::Checksum { expected, found }),
        }
    }

    /// The error for a part of a file.
    pub fn of(self, path: &Path, part: &str) -> FileError {
        let reason = match self {
            Damage::Malformed(reason) => format!("{part}: {reason}; prepare the corpus again"),
            Damage::Checksum { expected, found } => format!(
                "{part} was altered: its checksum is {found:016x} where it should be {expected:016x}; copy it again, or prepare the corpus again"
            ),
        };
        FileError::content(path, reason)
    }
}
