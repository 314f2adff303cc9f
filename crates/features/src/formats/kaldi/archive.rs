//! An archive as a byte stream that tracks its position and the remaining length.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::files::{FileError, line, open_regular};

/// Maximum length of a text line in bytes: a vector with the labels of a long recording.
const LONGEST_LINE: u64 = 64 << 20;
/// Maximum length of a key in bytes.
const LONGEST_KEY: usize = 1 << 16;

/// An open archive. Sizes read from it are compared with the remaining length before anything is allocated.
pub(super) struct Archive {
    pub path: PathBuf,
    reader: BufReader<File>,
    len: u64,
    place: u64,
}

impl Archive {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let file = open_regular(path)?;
        let len = file.metadata().map_err(FileError::io(path))?.len();
        let mut archive = Archive {
            path: path.to_path_buf(),
            reader: BufReader::new(file),
            len,
            place: 0,
        };
        if archive.buffered()?.starts_with(b"\x1f\x8b") {
            return Err(archive.fault("compressed with gzip: decompress it first"));
        }
        Ok(archive)
    }

    pub fn fault(&self, reason: impl std::fmt::Display) -> FileError {
        FileError::content(&self.path, format!("byte {}: {reason}", self.place))
    }

    /// Number of remaining bytes.
    pub fn left(&self) -> u64 {
        self.len.saturating_sub(self.place)
    }

    pub fn seek(&mut self, place: u64) -> Result<(), FileError> {
        self.place = place;
        if place > self.len {
            return Err(self.fault(format!("past the end: the file has {} bytes", self.len)));
        }
        let sought = self.reader.seek(SeekFrom::Start(place));
        sought.map(drop).map_err(FileError::io(&self.path))
    }

    fn buffered(&mut self) -> Result<&[u8], FileError> {
        self.reader.fill_buf().map_err(FileError::io(&self.path))
    }

    fn peek(&mut self) -> Result<Option<u8>, FileError> {
        Ok(self.buffered()?.first().copied())
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], FileError> {
        let mut bytes = [0; N];
        self.exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The next `len` bytes.
    pub fn bytes(&mut self, len: Option<u64>) -> Result<Vec<u8>, FileError> {
        let Some(len) = len.filter(|&len| len <= self.left()) else {
            return Err(self.fault(format!(
                "object of {} bytes, but the file has {} more: it is truncated",
                len.map_or("too many".into(), |len| len.to_string()),
                self.left()
            )));
        };
        let mut bytes = vec![0; len as usize];
        self.exact(&mut bytes)?;
        Ok(bytes)
    }

    fn exact(&mut self, bytes: &mut [u8]) -> Result<(), FileError> {
        self.reader
            .read_exact(bytes)
            .map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => self.fault("the file is truncated"),
                _ => FileError::io(&self.path)(error),
            })?;
        self.place += bytes.len() as u64;
        Ok(())
    }

    /// The next line without its line break; `None` at the end of the file.
    pub fn line(&mut self) -> Result<Option<String>, FileError> {
        let found = line(&mut self.reader, LONGEST_LINE).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => self.fault("neither a binary object nor text"),
            _ => FileError::io(&self.path)(error),
        })?;
        let place = self.reader.stream_position();
        self.place = place.map_err(FileError::io(&self.path))?;
        Ok(found)
    }

    /// The next key and the blank after it; `None` at the end of the file.
    pub fn key(&mut self) -> Result<Option<String>, FileError> {
        while self.peek()?.is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.array::<1>()?;
        }
        let mut key = Vec::new();
        loop {
            match self.peek()? {
                None if key.is_empty() => return Ok(None),
                None | Some(b'\n' | 0) => return Err(self.fault("key without an object")),
                Some(byte) => {
                    self.array::<1>()?;
                    if matches!(byte, b' ' | b'\t') {
                        break;
                    }
                    if key.len() == LONGEST_KEY {
                        let reason = format!("key of more than {LONGEST_KEY} bytes");
                        return Err(self.fault(reason));
                    }
                    key.push(byte);
                }
            }
        }
        let key = String::from_utf8(key).map_err(|_| self.fault("the key is not valid UTF-8"))?;
        Ok(Some(key))
    }

    /// Whether a binary object follows. Skips its marker.
    pub fn binary(&mut self) -> Result<bool, FileError> {
        if self.peek()? != Some(0) {
            return Ok(false);
        }
        match self.array()? {
            [0, b'B'] => Ok(true),
            _ => Err(self.fault("neither text nor a binary object")),
        }
    }

    /// An integer preceded by a byte with its size.
    pub fn sized_i32(&mut self) -> Result<i32, FileError> {
        match self.array::<5>()? {
            [4, number @ ..] => Ok(i32::from_le_bytes(number)),
            [size, ..] => Err(self.fault(format!("integer of {size} bytes, expected 4"))),
        }
    }
}
