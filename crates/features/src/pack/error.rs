//! What can be wrong with a pack, or with what is to be packed.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// A pack that cannot be read, or cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PackError {
    /// The system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Not a pack at all.
    #[error("{}: not a pack: it begins with `{found}` where a pack has `{expected}`", .path.display())]
    NotAPack {
        /// The file.
        path: PathBuf,
        /// Its first bytes, as text.
        found: String,
        /// A pack's first bytes, as text.
        expected: String,
    },
    /// A pack of another version of the format.
    #[error("{}: a pack of format version {found}, and this program reads version {expected}: prepare the corpus again", .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that can be read.
        expected: u32,
    },
    /// A file under its own name that was never finished.
    #[error("{}: never finished: prepare the corpus again", .path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
    },
    /// A file shorter or longer than it was.
    #[error("{}: {found} bytes where there should be {expected}: it was cut short or added to; copy it again, or prepare the corpus again", .path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// The size it should have.
        expected: u64,
        /// The size it has.
        found: u64,
    },
    /// Bytes that changed since they were written.
    #[error("{}: {part} was altered: its checksum is {found:016x} where it should be {expected:016x}; copy it again, or prepare the corpus again", .path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// Which part.
        part: String,
        /// The checksum it should have.
        expected: u64,
        /// The checksum it has.
        found: u64,
    },
    /// A part that says something impossible.
    #[error("{}: {part}: {reason}; prepare the corpus again", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Which part.
        part: String,
        /// What is wrong with it.
        reason: String,
    },
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
    /// What is there of it was made another way.
    #[error("{}: begun with another {what} (then {then}, now {now}): remove this file to begin afresh, or go on with what it was begun with", .path.display())]
    SetupChanged {
        /// The unfinished file.
        path: PathBuf,
        /// What changed.
        what: String,
        /// What it was.
        then: String,
        /// What it is now.
        now: String,
    },
    /// Something else under the name of an unfinished pack.
    #[error("{}: not the beginning of a pack, or a damaged one: remove this file to begin afresh", .path.display())]
    NotBegun {
        /// The file.
        path: PathBuf,
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
}

impl PackError {
    pub(super) fn io(path: &std::path::Path) -> impl FnOnce(io::Error) -> PackError {
        let path = path.to_path_buf();
        |source| PackError::Io { path, source }
    }
}
