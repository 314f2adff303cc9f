//! Whether two records were made from the same packs.
//!
//! Packs are compared by their checksums. If a record has none, they are compared by their names without folders, because a repeated
//! run may have them elsewhere.

use std::collections::BTreeMap;
use std::path::PathBuf;

use padwise_sampler::excerpt::excerpt;

use super::differences::Difference;
use crate::record::{CorpusFile, Recorded};

/// What identifies a pack.
struct PackIdentity {
    /// Its checksum and size; otherwise its name.
    content: String,
    /// Its name and checksum for a message.
    shown: String,
}

/// The first pack that differs between two records.
pub(super) fn different_pack(old: &Recorded, new: &Recorded) -> Option<Difference> {
    let by_checksum = corpus_files(old).is_some() && corpus_files(new).is_some();
    let (old, new) = (identities(old, by_checksum), identities(new, by_checksum));
    let content = |packs: &BTreeMap<_, PackIdentity>, key| Some(packs.get(key)?.content.clone());
    let mut keys = old.keys().chain(new.keys());
    let key = keys.find(|&key| content(&old, key) != content(&new, key))?;
    let shown = |packs: &BTreeMap<_, PackIdentity>| {
        let pack = packs.get(key);
        pack.map_or_else(|| "(not set)".into(), |pack| pack.shown.clone())
    };
    Some(Difference {
        what: key.clone(),
        old: shown(&old),
        new: shown(&new),
    })
}

/// A warning if the packs could be compared by name only.
pub(super) fn doubt(old: &Recorded, new: &Recorded) -> Option<String> {
    let which = match (corpus_files(old), corpus_files(new)) {
        (Some(_), Some(_)) => return None,
        (None, Some(_)) => "the first record has no checksums of its corpus",
        (Some(_), None) => "the second record has no checksums of its corpus",
        (None, None) => "the records have no checksums of their corpus",
    };
    Some(format!(
        "{which} (identity.json): packs were compared by name only, check that their content is the same"
    ))
}

/// The packs of a config, in the order of `identity.json`: training, validation, test. Each has a name for messages.
fn packs(recorded: &Recorded) -> Vec<(String, &PathBuf)> {
    let corpus = &recorded.config.corpus;
    let training: Vec<&PathBuf> = corpus.packs().collect();
    let validation = corpus.validation.packs().iter().collect();
    let test = corpus.test.iter().flat_map(|test| test.packs()).collect();
    let mut packs = Vec::new();
    for (key, paths) in [
        ("corpus", training),
        ("corpus.validation", validation),
        ("corpus.test", test),
    ] {
        let numbered = (1..).zip(paths);
        packs.extend(numbered.map(|(number, path)| (format!("pack {number} of {key}"), path)));
    }
    packs
}

/// The files of the packs. None if the record does not have all of them.
fn corpus_files(recorded: &Recorded) -> Option<&[CorpusFile]> {
    let files = recorded.corpus_files.as_deref().unwrap_or_default();
    (files.len() == packs(recorded).len()).then_some(files)
}

fn identities(recorded: &Recorded, by_checksum: bool) -> BTreeMap<String, PackIdentity> {
    let files = corpus_files(recorded).filter(|_| by_checksum);
    let identity = |(index, (key, path)): (usize, (String, &PathBuf))| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = excerpt(&name);
        let file = files.map(|files| &files[index]);
        let pack = match file {
            Some(CorpusFile {
                bytes, checksum, ..
            }) => PackIdentity {
                content: format!("{checksum}, {bytes} bytes"),
                shown: format!("{name}, checksum {}, {bytes} bytes", excerpt(checksum)),
            },
            None => PackIdentity {
                content: name.clone(),
                shown: name,
            },
        };
        (key, pack)
    };
    packs(recorded)
        .into_iter()
        .enumerate()
        .map(identity)
        .collect()
}
