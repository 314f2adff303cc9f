//! The identity of an experiment: checksums of its config, its corpus files and what was learnt from them.
//!
//! `identity.json` is written before the first run starts. A resumed experiment must have the same identity, because its epochs
//! would otherwise mix two corpora. Every worker process and every checkpoint is compared with it, too.

use std::fs;
use std::path::{Path, PathBuf};

use padwise_features::pack::Pack;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::error::reading;
use super::{RecordError, STATES, replace};

/// The name of the file in the results folder.
const NAME: &str = "identity.json";

/// The size and checksum of a corpus file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusFile {
    /// Its name without the folder, so a corpus may move.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The checksum of its content, in hexadecimal.
    pub checksum: String,
}

impl CorpusFile {
    /// The identity of a pack. Reads no frames.
    pub fn of(pack: &Pack) -> Self {
        let name = pack.path().file_name().unwrap_or_default();
        CorpusFile {
            file: name.to_string_lossy().into_owned(),
            bytes: pack.size(),
            checksum: format!("{:016x}", pack.checksum()),
        }
    }
}

/// What the results of an experiment depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The checksum of `config.toml`.
    pub config: String,
    /// The checksum of `normalisation.json`.
    pub normalisation: String,
    /// The checksum of `states.json`. None if the labels of the corpus are used as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<String>,
    /// The corpus files, in the order of the config. Empty for a synthetic corpus, which the config describes.
    pub corpus: Vec<CorpusFile>,
}

impl Identity {
    /// The identity of an experiment with this config, these statistics, these states and these corpus files.
    pub fn new(
        config: &str,
        normalisation: &[u8],
        states: Option<&[u8]>,
        corpus: Vec<CorpusFile>,
    ) -> Self {
        Identity {
            config: checksum(config.as_bytes()),
            normalisation: checksum(normalisation),
            states: states.map(checksum),
            corpus,
        }
    }

    /// The identity as one short text, for checkpoints.
    pub fn id(&self) -> String {
        // Cannot fail: the struct has only texts and numbers.
        checksum(&serde_json::to_vec(self).unwrap_or_default())
    }

    /// Reads the identity of a results folder. None if the folder has none.
    pub fn read(folder: &Path) -> Result<Option<Self>, RecordError> {
        let path = folder.join(NAME);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(reading(&path))?;
        serde_json::from_str(&text)
            .map(Some)
            .map_err(|error| RecordError::Identity {
                path,
                problem: format!("damaged ({error})"),
            })
    }

    /// Writes the identity into a results folder.
    pub fn write(&self, folder: &Path) -> Result<(), RecordError> {
        let path = folder.join(NAME);
        let bytes = serde_json::to_vec_pretty(self).map_err(reading(&path))?;
        replace(&path, &bytes)
    }

    /// Checks that the config has not changed since the experiment began.
    pub fn check_config(&self, folder: &Path, config: &str) -> Result<(), RecordError> {
        self.check(folder.join("config.toml"), &self.config, config.as_bytes())
    }

    /// Checks that the normalisation statistics have not changed since the experiment began.
    pub fn check_normalisation(&self, folder: &Path, content: &[u8]) -> Result<(), RecordError> {
        let path = folder.join("normalisation.json");
        self.check(path, &self.normalisation, content)
    }

    /// Checks that the states have not changed since the experiment began.
    pub fn check_states(&self, folder: &Path, content: &[u8]) -> Result<(), RecordError> {
        let path = folder.join(STATES);
        self.check(path, self.states.as_deref().unwrap_or("none"), content)
    }

    fn check(&self, path: PathBuf, expected: &str, content: &[u8]) -> Result<(), RecordError> {
        let found = checksum(content);
        if found == expected {
            return Ok(());
        }
        Err(RecordError::Identity {
            path,
            problem: format!(
                "changed since the experiment began (checksum {found}, recorded {expected})"
            ),
        })
    }

    /// Checks that the corpus files are the recorded ones.
    pub fn check_corpus(&self, packs: &[CorpusFile], paths: &[PathBuf]) -> Result<(), RecordError> {
        let shown = |at: usize, file: &CorpusFile| {
            let named = paths.get(at).cloned();
            named.unwrap_or_else(|| PathBuf::from(&file.file))
        };
        for (at, (recorded, found)) in self.corpus.iter().zip(packs).enumerate() {
            if (recorded.bytes, &recorded.checksum) != (found.bytes, &found.checksum) {
                return Err(RecordError::OtherCorpus {
                    path: shown(at, found),
                    found: format!("{} bytes, checksum {}", found.bytes, found.checksum),
                    recorded: format!(
                        "{}, {} bytes, checksum {}",
                        recorded.file, recorded.bytes, recorded.checksum
                    ),
                });
            }
        }
        if self.corpus.len() == packs.len() {
            return Ok(());
        }
        Err(RecordError::OtherCorpus {
            path: paths.first().cloned().unwrap_or_default(),
            found: format!("{} corpus files", packs.len()),
            recorded: format!("{} corpus files", self.corpus.len()),
        })
    }
}

fn checksum(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}
