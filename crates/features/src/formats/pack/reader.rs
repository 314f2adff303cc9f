//! Reads packs.

use std::path::{Path, PathBuf};

use super::error::{Damage, PackError};
use super::index::{self, Entry, LeftOut, Summary};
use super::setup::{Header, Setup, check_name};
use super::{layout, record};
use crate::corpus::{Corpus, CorpusError, NO_LABEL, ReadError, TargetSet, requested_frames};
use crate::files::{FileError, Mapped, map, open_regular};
use crate::formats::numbers;
use crate::normalisation::Moments;

/// A feature pack. The file is memory-mapped: its pages live in the system's page cache, shared by all processes that
/// train on it.
#[derive(Debug)]
pub struct Pack {
    pub(super) path: PathBuf,
    pub(super) map: Mapped,
    pub(super) header: Header,
    pub(super) summary: Summary,
    pub(super) entries: Vec<Entry>,
    pub(super) index_offset: u64,
    lengths: Vec<u32>,
}

impl Pack {
    /// Opens a pack. Checks its sizes, header and index, but not its frames; see [`Pack::verify`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, PackError> {
        let path = path.as_ref().to_path_buf();
        let file = open_regular(&path)?;
        let map = map(&file).map_err(FileError::io(&path))?;
        let (seal, header) = layout::read_opening(&path, &map)?;
        let malformed = |part: &str, reason: String| Damage::Malformed(reason).of(&path, part);
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| malformed("the header", error.to_string()))?;
        if header.setup.dims == 0 {
            return Err(malformed("the header", "0 dimensions".into()).into());
        }
        let (summary, entries) = index::read(&map, seal.index_offset, &header.setup)
            .map_err(|reason| malformed("the index", reason))?;
        // This also bounds the number of dimensions, even in a pack without utterances.
        let (dims, counted) = (header.setup.dims as usize, summary.statistics.dims());
        if counted != dims {
            let reason = format!("statistics of {counted} dimensions, but frames have {dims}");
            return Err(malformed("the index", reason).into());
        }
        let names = entries
            .iter()
            .flat_map(|entry| {
                [
                    Some(("utterance", entry.id(&map))),
                    entry.speaker(&map).map(|name| ("speaker", name)),
                ]
            })
            .flatten();
        let classes = header.setup.class_names.iter().flatten();
        let classes = classes.map(|name| ("class", name.as_str()));
        let symbols = header.setup.targets.iter().flat_map(|set| &set.symbols);
        let symbols = symbols.map(|name| ("symbol", name.as_str()));
        for (kind, name) in classes.chain(symbols).chain(names) {
            check_name(kind, name).map_err(|reason| malformed("the index", reason))?;
        }
        let lengths = entries.iter().map(|entry| entry.frames).collect();
        Ok(Pack {
            path,
            map,
            header,
            summary,
            entries,
            index_offset: seal.index_offset,
            lengths,
        })
    }

    /// The settings it was written with.
    pub fn setup(&self) -> &Setup {
        &self.header.setup
    }

    /// Mean and variance of each dimension over all frames, as stored.
    pub fn statistics(&self) -> &Moments {
        &self.summary.statistics
    }

    /// The announced utterances that were not packed, with the reasons.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.summary.left_out
    }

    /// A checksum of the header and the index, which has the checksum of every utterance. It identifies the content and reads no
    /// frames; [`Pack::verify`] checks that the frames match.
    pub fn checksum(&self) -> u64 {
        layout::checksum(&self.map)
    }

    /// Size of the file in bytes.
    pub fn size(&self) -> u64 {
        self.map.len() as u64
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Corpus for Pack {
    fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    fn dims(&self) -> usize {
        self.header.setup.dims as usize
    }

    fn class_names(&self) -> Option<&[String]> {
        self.header.setup.class_names.as_deref()
    }

    fn id(&self, utterance: usize) -> &str {
        let entry = self.entries.get(utterance);
        entry.map_or("", |entry| entry.id(&self.map))
    }

    fn speaker(&self, utterance: usize) -> Option<&str> {
        self.entries.get(utterance)?.speaker(&self.map)
    }

    fn text(&self, utterance: usize) -> Option<&str> {
        self.entries.get(utterance)?.text(&self.map)
    }

    fn target_set(&self) -> Option<&TargetSet> {
        self.header.setup.targets.as_ref()
    }

    fn targets(&self, utterance: usize) -> Result<Vec<i32>, CorpusError> {
        let Some(entry) = self.entries.get(utterance) else {
            return Err(CorpusError::Read(ReadError::NoSuchUtterance {
                utterance,
                utterances: self.entries.len(),
            }));
        };
        // In bounds: `open` checked the entry against the file.
        let framed = u64::from(entry.frames) * record::frame_size(&self.header.setup);
        let mut targets = vec![0; entry.targets as usize];
        numbers::load_labels(&self.map[(entry.payload + framed) as usize..], &mut targets);
        Ok(targets)
    }

    fn read_into(
        &self,
        utterance: usize,
        start: u32,
        features: &mut [f32],
        labels: &mut [i32],
    ) -> Result<(), CorpusError> {
        let frames = requested_frames(self, utterance, start, features, labels)?;
        // In bounds: `open` checked the entry against the file, and `requested_frames` checked the call.
        let entry = &self.entries[utterance];
        let setup = &self.header.setup;
        let row = self.dims() * setup.dtype.size();
        let payload = &self.map[entry.payload as usize..];
        let bytes = &payload[frames.start * row..frames.end * row];
        numbers::load(bytes, setup.dtype, features);
        if setup.class_names.is_some() {
            let all = &payload[entry.frames as usize * row..];
            numbers::load_labels(&all[frames.start * 2..], labels);
        } else {
            labels.fill(NO_LABEL);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::pack::layout::{Seal, opening};
    use xxhash_rust::xxh3::xxh3_64;

    #[test]
    fn dimensions_that_the_statistics_do_not_have_are_refused() {
        let setup = |dims| Setup {
            dims,
            dtype: numbers::Dtype::F16,
            class_names: None,
            targets: None,
            front_end: serde_json::Value::Null,
        };
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().join("a.pack");
        let open = |dims| {
            let header = Header::new(setup(dims), &[]).and_then(|header| header.to_bytes());
            let header = header.expect("a header");
            let summary = Summary {
                statistics: Moments::new(2),
                ..Summary::default()
            };
            let offset = opening(&header, None).len() as u64;
            let index = index::write(offset, &summary, false, [].into_iter()).expect("an index");
            let seal = Seal {
                file_len: offset + index.len() as u64,
                index_offset: offset,
                index_len: index.len() as u64,
                index_checksum: xxh3_64(&index),
            };
            let file = [opening(&header, Some(seal)), index].concat();
            std::fs::write(&path, file).expect("writable");
            Pack::open(&path).map(|pack| pack.dims())
        };
        assert_eq!(open(2).expect("a pack"), 2);
        let said = open(u32::MAX)
            .expect_err("no memory has this many")
            .to_string();
        assert!(
            said.contains("statistics of 2 dimensions, but frames have 4294967295"),
            "{said}"
        );
    }
}
