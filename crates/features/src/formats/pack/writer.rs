//! Writing a pack, in one go or in several.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::check::check;
use super::error::PackError;
use super::index::{self, LeftOut, Summary};
use super::layout::{self, Seal};
use super::reader::Pack;
use super::record::{self, Kind, Record};
use super::resume::{Progress, resume};
use super::setup::{Header, Setup, Utterance};
use crate::files::FileError;
use crate::formats::numbers;
use crate::matrix::Matrix;

/// Writes a pack: utterance after utterance in the order announced, each appended or left out with a reason.
///
/// What is written survives: dropping the writer, or killing the process, leaves `NAME.partial`, and the next
/// [`PackWriter::create`] with the same setup goes on from the last whole utterance.
#[derive(Debug)]
pub struct PackWriter {
    target: PathBuf,
    partial: PathBuf,
    file: File,
    header: Header,
    utterances: Vec<Utterance>,
    progress: Progress,
    left_out: Vec<LeftOut>,
    /// One record, then one utterance as it will read: kept between calls so that appending allocates nothing.
    record: Vec<u8>,
    stored: Vec<f32>,
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
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&partial)
            .map_err(FileError::io(&partial))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(PackError::Busy { path: partial }),
            Err(TryLockError::Error(error)) => return Err(FileError::io(&partial)(error).into()),
        }
        // Between opening and locking, another writer may have finished this very file and renamed it.
        if target.exists() {
            return Err(PackError::Exists { path: target });
        }
        Ok(PackWriter {
            progress: resume(&mut file, &partial, &header, &utterances)?,
            target,
            partial,
            file,
            header,
            utterances,
            left_out: Vec::new(),
            record: Vec::new(),
            stored: Vec::new(),
        })
    }

    /// The utterances that are there: appended or left out, in this go or an earlier one.
    pub fn done(&self) -> usize {
        self.progress.records.len() + self.left_out.len()
    }

    /// Whether no utterance has features: none came yet, or all were left out.
    pub fn is_empty(&self) -> bool {
        self.progress.records.is_empty()
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
        let setup = &self.header.setup;
        let refuse = |reason: String| PackError::Utterance {
            id: utterance.id.clone(),
            reason,
        };
        check(setup, features, labels).map_err(refuse)?;
        self.record.clear();
        self.record.resize(record::HEAD, 0);
        let numbers = features.as_slice();
        numbers::store(numbers, setup.dtype, &mut self.record).map_err(|place| {
            refuse(format!(
                "frame {}, dimension {} is {}: too large for f16; pack as f32",
                place / features.cols(),
                place % features.cols(),
                numbers[place]
            ))
        })?;
        // The statistics are of the numbers as they will be read.
        self.stored.resize(numbers.len(), 0.0);
        numbers::load(&self.record[record::HEAD..], setup.dtype, &mut self.stored);
        let labels = labels.iter().map(|&label| label as u16);
        self.record.extend(labels.flat_map(u16::to_le_bytes));
        let record = self.write_record(Kind::Features, features.rows() as u32)?;
        self.progress.records.push(record);
        self.progress.add_to_statistics(&self.stored)
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

    fn write_record(&mut self, kind: Kind, frames: u32) -> Result<Record, PackError> {
        let number = self.done() as u64;
        let fingerprint = self.next_utterance().map_or(0, |u| u.fingerprint);
        let checksum = record::complete(&mut self.record, kind, number, frames, fingerprint);
        let place = self.progress.end;
        // Sought each time: a write that failed half-way, on a full disk say, can simply be tried again.
        self.file
            .seek(SeekFrom::Start(place))
            .and_then(|_| self.file.write_all(&self.record))
            .map_err(FileError::io(&self.partial))?;
        self.progress.end += self.record.len() as u64;
        Ok(Record {
            kind,
            frames,
            payload: place + record::HEAD as u64,
            checksum,
            fingerprint,
            end: self.progress.end,
        })
    }

    /// Writes the index, seals the file, renames it into place, and opens it.
    pub fn finish(mut self) -> Result<Pack, PackError> {
        if self.done() != self.utterances.len() {
            return Err(self.count());
        }
        let index_offset = self.progress.end;
        let summary = Summary {
            statistics: self.progress.statistics,
            left_out: self.left_out,
        };
        let mut left = summary.left_out.iter().peekable();
        let kept: Vec<&Utterance> = (0..)
            .zip(&self.utterances)
            .filter(|(number, _)| left.next_if(|left| left.number == *number).is_none())
            .map(|(_, utterance)| utterance)
            .collect();
        let index = index::write(
            index_offset,
            &summary,
            self.progress.records.iter().zip(kept),
        )
        .map_err(PackError::setup)?;
        let seal = Seal {
            file_len: index_offset + index.len() as u64,
            index_offset,
            index_len: index.len() as u64,
            index_checksum: xxh3_64(&index),
        };
        let opening = layout::opening(&self.header.to_bytes()?, Some(seal));
        let file = &mut self.file;
        file.seek(SeekFrom::Start(index_offset))
            .and_then(|_| file.write_all(&index))
            // All else must be on the disk before the seal that vouches for it.
            .and_then(|()| file.sync_all())
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(&opening))
            .and_then(|()| file.sync_all())
            .map_err(FileError::io(&self.partial))?;
        fs::rename(&self.partial, &self.target)
            .and_then(|()| sync_folder(&self.target))
            .map_err(FileError::io(&self.target))?;
        Pack::open(&self.target)
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
