//! The corpus files of a record: names, sizes and checksums from `identity.json`.

use std::path::Path;

use serde::Deserialize;

use super::ReadError;
use super::file::optional;
use super::read::without_place;

/// More than thousands of corpus files need.
const MAX_IDENTITY_BYTES: u64 = 16 << 20;

/// A corpus file as it was when the experiment began.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CorpusFile {
    /// Its name without the folder.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The checksum of its content, in hexadecimal.
    pub checksum: String,
}

#[derive(Deserialize)]
struct Identity {
    corpus: Vec<CorpusFile>,
}

/// Reads the corpus files from `identity.json`, in the order of the config. None if the file does not exist.
pub(super) fn read_corpus_files(path: &Path) -> Result<Option<Vec<CorpusFile>>, ReadError> {
    let Some(bytes) = optional(path, MAX_IDENTITY_BYTES)? else {
        return Ok(None);
    };
    let identity: Result<Identity, _> = serde_json::from_slice(&bytes);
    let corpus = identity.map(|identity| Some(identity.corpus));
    corpus.map_err(|error| ReadError::Line {
        path: path.into(),
        line: error.line() as u64,
        problem: without_place(&error),
    })
}
