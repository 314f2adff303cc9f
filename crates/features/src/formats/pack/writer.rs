//! Writes packs, in one run or several.

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

/// Writes a pack. Utterances are written in the announced order; each is appended, or left out with a reason.
///
/// An interrupted writer leaves `NAME.partial`. The next [`PackWriter::create`] with the same settings resumes after the
/// last complete utterance. With other settings it starts again; [`PackWriter::restarted`] says why.
#[derive(Debug)]
pub struct PackWriter {
    target: PathBuf,
    partial: PathBuf,
    file: File,
    header: Header,
    utterances: Vec<Utterance>,
    progress: Progress,
    left_out: Vec<LeftOut>,
    /// Buffers for one record, and for one utterance as it will be read. Reused between calls.
    record: Vec<u8>,
    stored: Vec<f32>,
}

impl PackWriter {
    /// Starts a pack, or continues an unfinished one. With the same settings, the utterances before the first change of the list
    /// are kept; with others, it starts again. [`PackWriter::done`] returns the number of utterances that are already in the file,
    /// and [`PackWriter::restarted`] the setting that differs.
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
        if fs::symlink_metadata(&partial).is_ok_and(|found| !found.is_file()) {
            let reason = "not a regular file: remove it";
            return Err(FileError::content(&partial, reason).into());
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
        // Another writer may have finished and renamed this file between `open` and `try_lock`.
        if target.exists() {
            return Err(PackError::Exists { path: target });
        }
        // A failed writer may have removed it, too.
        if !is_at(&file, &partial) {
            return Err(PackError::Busy { path: partial });
        }
        let was_empty = file.metadata().is_ok_and(|found| found.len() == 0);
        let progress = resume(&mut file, &partial, &header, &utterances).inspect_err(|_| {
            if was_empty {
                // The first error is the one to report.
                let _ = fs::remove_file(&partial);
            }
        })?;
        Ok(PackWriter {
            progress,
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

    /// Number of utterances written so far, appended or left out, including earlier runs.
    pub fn done(&self) -> usize {
        self.progress.records.len() + self.left_out.len()
    }

    /// Whether no utterance has been appended.
    pub fn is_empty(&self) -> bool {
        self.progress.records.is_empty()
    }

    /// Which setting differs from those of an unfinished pack that this writer replaced; `None` if it replaced none.
    pub fn restarted(&self) -> Option<&str> {
        self.progress.restarted.as_deref()
    }

    /// Stops writing. Removes the unfinished file if it has no utterances, so that it cannot get in the way.
    pub fn abandon(self) {
        if self.is_empty() {
            // The caller reports the error that stopped it.
            let _ = fs::remove_file(&self.partial);
        }
    }

    /// Number of announced utterances.
    pub fn announced(&self) -> usize {
        self.utterances.len()
    }

    /// The utterance that [`PackWriter::append`] expects; `None` when all are written.
    pub fn next_utterance(&self) -> Option<&Utterance> {
        self.utterances.get(self.done())
    }

    /// Appends the next utterance, with one label per frame, or no labels if the pack has no classes.
    pub fn append(&mut self, features: &Matrix, labels: &[i32]) -> Result<(), PackError> {
        let Some(utterance) = self.utterances.get(self.done()) else {
            return Err(self.count());
        };
        let setup = &self.header.setup;
        let refuse = |reason: String| PackError::Utterance {
            id: utterance.id.clone(),
            reason,
        };
        check(setup, utterance, features, labels).map_err(refuse)?;
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
        // Compute the statistics from the numbers as they will be read.
        self.stored.resize(numbers.len(), 0.0);
        numbers::load(&self.record[record::HEAD..], setup.dtype, &mut self.stored);
        let labels = labels.iter().map(|&label| label as u16);
        self.record.extend(labels.flat_map(u16::to_le_bytes));
        let targets = utterance.targets.iter().copied();
        let symbols = utterance.targets.len() as u32;
        self.record.extend(targets.flat_map(u16::to_le_bytes));
        let record = self.write_record(Kind::Features, features.rows() as u32)?;
        self.progress.records.push(Record {
            targets: symbols,
            ..record
        });
        self.progress.add_to_statistics(&self.stored)
    }

    /// The error for the next utterance, if it cannot be appended.
    pub(crate) fn refused(&self, reason: String) -> PackError {
        let id = self.next_utterance().map_or("", |u| u.id.as_str()).into();
        PackError::Utterance { id, reason }
    }

    /// Leaves out the next utterance. The reason is stored in the pack.
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
        let identity = self.next_utterance().map_or(0, Utterance::identity);
        let checksum = record::complete(&mut self.record, kind, number, frames, identity);
        let place = self.progress.end;
        // Seek every time, so that a failed write (disk full) can be retried.
        self.file
            .seek(SeekFrom::Start(place))
            .and_then(|_| self.file.write_all(&self.record))
            .map_err(FileError::io(&self.partial))?;
        self.progress.end += self.record.len() as u64;
        Ok(Record {
            kind,
            frames,
            targets: 0,
            payload: place + record::HEAD as u64,
            checksum,
            identity,
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
            self.header.setup.targets.is_some(),
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
            // Everything else must be on disk before the seal.
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

/// Whether the open file is the one at this path. Elsewhere than on Unix, an open file cannot be removed.
fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let place = |found: fs::Metadata| (found.dev(), found.ino());
        let (opened, found) = (file.metadata().map(place), fs::metadata(path).map(place));
        opened.ok() == found.ok()
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        true
    }
}

/// Makes a rename durable. Only Unix allows syncing a folder.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if cfg!(unix) {
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
