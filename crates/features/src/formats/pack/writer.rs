//! Writes packs, in one run or several.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::encode::{Encoded, encode};
use super::error::PackError;
use super::index::{self, LeftOut, Summary};
use super::layout::{self, Seal};
use super::reader::Pack;
use super::record::{self, Kind, Record};
use super::resume::{Progress, resume};
use super::setup::{Header, Setup, Utterance};
use crate::files::FileError;
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
        let Some(utterance) = self.next_utterance() else {
            return Err(self.count());
        };
        let number = self.done() as u64;
        let encoded = encode(&self.header.setup, utterance, number, features, labels)?;
        self.write_utterance(encoded)
    }

    /// Appends the next utterances, without labels. All cores encode them; the file is the same as with [`PackWriter::append`].
    pub fn append_all(&mut self, features: &[Matrix]) -> Result<(), PackError> {
        let first = self.done();
        let announced = self.utterances.get(first..first + features.len());
        let Some(announced) = announced else {
            return Err(self.count());
        };
        let setup = &self.header.setup;
        let encoded: Vec<_> = (announced.par_iter().zip(features).enumerate())
            .map(|(number, (utterance, features))| {
                encode(setup, utterance, (first + number) as u64, features, &[])
            })
            .collect();
        encoded
            .into_iter()
            .try_for_each(|encoded| self.write_utterance(encoded?))
    }

    fn write_utterance(&mut self, encoded: Encoded) -> Result<(), PackError> {
        let place = self.write_bytes(&encoded.record)?;
        self.progress.records.push(Record {
            kind: Kind::Features,
            frames: encoded.frames,
            targets: encoded.targets,
            payload: place + record::HEAD as u64,
            checksum: encoded.checksum,
            identity: encoded.identity,
            end: self.progress.end,
        });
        self.progress.add_to_statistics(&encoded.moments)
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
        let mut bytes = vec![0; record::HEAD];
        bytes.extend(reason.as_bytes());
        let identity = utterance.identity();
        record::complete(&mut bytes, Kind::LeftOut, left_out.number, 0, identity);
        self.write_bytes(&bytes)?;
        self.left_out.push(left_out);
        Ok(())
    }

    /// Writes a record at the end of the file, and returns its offset.
    fn write_bytes(&mut self, record: &[u8]) -> Result<u64, PackError> {
        let place = self.progress.end;
        // Seek every time, so that a failed write (disk full) can be retried.
        self.file
            .seek(SeekFrom::Start(place))
            .and_then(|_| self.file.write_all(record))
            .map_err(FileError::io(&self.partial))?;
        self.progress.end += record.len() as u64;
        Ok(place)
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
