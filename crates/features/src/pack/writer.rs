//! Writing a pack, in one go or in several.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::check::check;
use super::index::{self, LeftOut, Summary};
use super::layout::{self, Seal};
use super::reader::Pack;
use super::record::{self, Kind, Record};
use super::setup::Header;
use super::{PackError, Setup, Utterance, numbers};
use crate::Matrix;
use crate::normalisation::Moments;

/// Writes a pack: utterance after utterance in the order announced, each appended or left out with a reason.
///
/// What is written survives: dropping the writer, or killing the process, leaves `NAME.partial`, and the next
/// [`PackWriter::create`] with the same setup goes on from the last whole utterance.
#[derive(Debug)]
pub struct PackWriter {
    target: PathBuf,
    pub(super) partial: PathBuf,
    pub(super) file: File,
    pub(super) header: Header,
    pub(super) utterances: Vec<Utterance>,
    pub(super) records: Vec<Record>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) statistics: Moments,
    pub(super) end: u64,
    /// One record, then one utterance as it will read: kept between calls so that appending allocates nothing.
    record: Vec<u8>,
    pub(super) stored: Vec<f32>,
}

impl PackWriter {
    /// Begins a pack, or goes on with one that was begun with the same setup and the same utterances.
    /// [`PackWriter::done`] says how many utterances are there already.
    pub fn create(
        target: impl AsRef<Path>,
        setup: Setup,
        utterances: Vec<Utterance>,
    ) -> Result<Self, PackError> {
        let target = target.as_ref().to_path_buf();
        let header = Header::new(setup, &utterances)?;
        let mut partial = target.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        if target.exists() {
            return Err(PackError::Exists { path: target });
        }
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&partial)
            .map_err(PackError::io(&partial))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(PackError::Busy { path: partial }),
            Err(TryLockError::Error(error)) => return Err(PackError::io(&partial)(error)),
        }
        // Between opening and locking, another writer may have finished this very file and renamed it.
        if target.exists() {
            return Err(PackError::Exists { path: target });
        }
        let dims = header.setup.dims as usize;
        let mut writer = PackWriter {
            target,
            partial,
            file,
            header,
            utterances,
            records: Vec::new(),
            left_out: Vec::new(),
            statistics: Moments::new(dims),
            end: 0,
            record: Vec::new(),
            stored: Vec::new(),
        };
        writer.resume()?;
        Ok(writer)
    }

    /// The utterances that are there: appended or left out, in this go or an earlier one.
    pub fn done(&self) -> usize {
        self.records.len() + self.left_out.len()
    }

    /// Whether no utterance has features: none came yet, or all were left out.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The utterances that were announced.
    pub fn announced(&self) -> usize {
        self.utterances.len()
    }

    /// The utterance that [`PackWriter::append`] expects; none when all are there.
    pub fn next_utterance(&self) -> Option<&Utterance> {
        self.utterances.get(self.done())
    }

    /// Appends the next utterance. Labels are one a frame, or empty where the pack has no classes.
    pub fn append(&mut self, features: &Matrix, labels: &[i32]) -> Result<(), PackError> {
        let Some(utterance) = self.utterances.get(self.done()) else {
            return Err(self.count());
        };
        check(&self.header.setup, &utterance.id, features, labels)?;
        let setup = &self.header.setup;
        let dims = features.cols();
        self.stored.clear();
        self.stored.extend(features.as_slice());
        self.record.clear();
        self.record.resize(record::HEAD, 0);
        numbers::store(&self.stored, setup.dtype, &mut self.record).map_err(|place| {
            PackError::Utterance {
                id: utterance.id.clone(),
                reason: format!(
                    "frame {}, dimension {} is {}: too large for f16; pack as f32",
                    place / dims,
                    place % dims,
                    self.stored[place]
                ),
            }
        })?;
        // The statistics are of the numbers as they will be read.
        let features_end = self.record.len();
        numbers::load(
            &self.record[record::HEAD..features_end],
            setup.dtype,
            &mut self.stored,
        );
        self.record.extend(
            labels
                .iter()
                .flat_map(|&label| (label as u16).to_le_bytes()),
        );
        self.write_record(Kind::Features, features.rows() as u32)?;
        self.gather()
    }

    /// Adds the utterance that is in `stored` to the statistics: one at a time, in their order, so that a pack written
    /// in one go and one written in five carry the same ones.
    pub(super) fn gather(&mut self) -> Result<(), PackError> {
        let dims = self.header.setup.dims as usize;
        self.statistics
            .merge(&Moments::of_rows(&self.stored, dims))
            .map_err(|error| PackError::Setup {
                reason: error.to_string(),
            })
    }

    /// Leaves the next utterance out, for a reason that the pack will give to whoever asks.
    pub fn leave_out(&mut self, reason: &str) -> Result<(), PackError> {
        let Some(utterance) = self.next_utterance() else {
            return Err(self.count());
        };
        let left_out = LeftOut {
            number: self.done() as u64,
            id: utterance.id.clone(),
            reason: reason.to_string(),
        };
        self.record.clear();
        self.record.resize(record::HEAD, 0);
        self.record.extend(reason.as_bytes());
        self.write_record(Kind::LeftOut, 0)?;
        self.left_out.push(left_out);
        Ok(())
    }

    fn write_record(&mut self, kind: Kind, frames: u32) -> Result<(), PackError> {
        let payload_len = (self.record.len() - record::HEAD) as u64;
        let number = self.done() as u64;
        let fingerprint = self.next_utterance().map_or(0, |u| u.fingerprint);
        let checksum = record::complete(&mut self.record, kind, number, frames, fingerprint);
        // Sought each time: a write that failed half-way, on a full disk say, can simply be tried again.
        self.file
            .seek(SeekFrom::Start(self.end))
            .and_then(|_| self.file.write_all(&self.record))
            .map_err(PackError::io(&self.partial))?;
        let payload = self.end + record::HEAD as u64;
        self.end += self.record.len() as u64;
        if kind == Kind::Features {
            self.records.push(Record {
                kind,
                frames,
                payload,
                payload_len,
                checksum,
                fingerprint,
                end: self.end,
            });
        }
        Ok(())
    }

    /// Writes the index, seals the file, renames it into place, and opens it.
    pub fn finish(mut self) -> Result<Pack, PackError> {
        if self.done() != self.utterances.len() {
            return Err(self.count());
        }
        let io = PackError::io;
        let summary = Summary {
            statistics: std::mem::take(&mut self.statistics),
            left_out: std::mem::take(&mut self.left_out),
        };
        let mut left = summary.left_out.iter().peekable();
        let kept: Vec<&Utterance> = (0..)
            .zip(&self.utterances)
            .filter(|(number, _)| left.next_if(|left| left.number == *number).is_none())
            .map(|(_, utterance)| utterance)
            .collect();
        let index = index::write(self.end, &summary, self.records.iter().zip(kept))
            .map_err(|reason| PackError::Setup { reason })?;
        let seal = Seal {
            file_len: self.end + index.len() as u64,
            index_offset: self.end,
            index_len: index.len() as u64,
            index_checksum: xxh3_64(&index),
        };
        let opening = layout::opening(&self.header_bytes()?, Some(seal));
        self.file.write_all(&index).map_err(io(&self.partial))?;
        // All else must be on the disk before the seal that vouches for it.
        self.file.sync_all().map_err(io(&self.partial))?;
        self.file.rewind().map_err(io(&self.partial))?;
        self.file.write_all(&opening).map_err(io(&self.partial))?;
        self.file.sync_all().map_err(io(&self.partial))?;
        fs::rename(&self.partial, &self.target).map_err(io(&self.target))?;
        sync_folder(&self.target).map_err(io(&self.target))?;
        Pack::open(&self.target)
    }

    pub(super) fn header_bytes(&self) -> Result<Vec<u8>, PackError> {
        let bytes = serde_json::to_vec(&self.header).map_err(|error| PackError::Setup {
            reason: error.to_string(),
        })?;
        if u32::try_from(bytes.len()).is_err() {
            let reason = "its setup is larger than 4 GiB".into();
            return Err(PackError::Setup { reason });
        }
        Ok(bytes)
    }

    fn count(&self) -> PackError {
        PackError::Count {
            appended: self.done(),
            announced: self.utterances.len(),
        }
    }
}

/// Makes a rename last through a power cut. Only Unix lets a folder be opened to be synchronised.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if cfg!(unix) {
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
