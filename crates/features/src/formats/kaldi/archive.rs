//! An archive as a stream of bytes that knows where it is and how much is left.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::files::FileError;

/// An archive, open at some place. Sizes read from it are compared with what is left before anything is allocated.
pub(super) struct Archive {
    pub path: PathBuf,
    reader: BufReader<File>,
    len: u64,
    place: u64,
}

impl Archive {
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let file = File::open(path).map_err(FileError::io(path))?;
        let len = file.metadata().map_err(FileError::io(path))?.len();
        let mut archive = Archive {
            path: path.to_path_buf(),
            reader: BufReader::new(file),
            len,
            place: 0,
        };
        if archive.buffered()?.starts_with(b"\x1f\x8b") {
            return Err(archive.fault("compressed by gzip: unpack it first"));
        }
        Ok(archive)
    }

    pub fn fault(&self, reason: impl std::fmt::Display) -> FileError {
        FileError::content(&self.path, format!("byte {}: {reason}", self.place))
    }

    /// The bytes after this place.
    pub fn left(&self) -> u64 {
        self.len.saturating_sub(self.place)
    }

    pub fn seek(&mut self, place: u64) -> Result<(), FileError> {
        self.place = place;
        if place > self.len {
            return Err(self.fault(format!("no such place: the file has {} bytes", self.len)));
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

    /// The next bytes, as many as asked for if the file has them.
    pub fn bytes(&mut self, len: Option<u64>) -> Result<Vec<u8>, FileError> {
        let Some(len) = len.filter(|&len| len <= self.left()) else {
            return Err(self.fault(format!(
                "an object of {} bytes, and the file has {} more: it was cut short",
                len.map_or("uncountable".into(), |len| len.to_string()),
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
                ErrorKind::UnexpectedEof => self.fault("the file was cut short"),
                _ => FileError::io(&self.path)(error),
            })?;
        self.place += bytes.len() as u64;
        Ok(())
    }

    /// The next line, without its end; none at the end of the file.
    pub fn line(&mut self) -> Result<Option<String>, FileError> {
        let mut bytes = Vec::new();
        let read = self.reader.read_until(b'\n', &mut bytes);
        let read = read.map_err(FileError::io(&self.path))?;
        if read == 0 {
            return Ok(None);
        }
        let text =
            String::from_utf8(bytes).map_err(|_| self.fault("neither a binary object nor text"))?;
        self.place += read as u64;
        Ok(Some(text.trim_end_matches(['\n', '\r']).to_string()))
    }

    /// The next key and the blank after it; none at the end of the file.
    pub fn key(&mut self) -> Result<Option<String>, FileError> {
        while self.peek()?.is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.array::<1>()?;
        }
        let mut key = Vec::new();
        loop {
            match self.peek()? {
                None if key.is_empty() => return Ok(None),
                None | Some(b'\n' | 0) => return Err(self.fault("a key without an object")),
                Some(byte) => {
                    self.array::<1>()?;
                    if matches!(byte, b' ' | b'\t') {
                        break;
                    }
                    key.push(byte);
                }
            }
        }
        let key = String::from_utf8(key).map_err(|_| self.fault("a key that is not text"))?;
        Ok(Some(key))
    }

    /// Whether a binary object is next; its mark is passed over.
    pub fn binary(&mut self) -> Result<bool, FileError> {
        if self.peek()? != Some(0) {
            return Ok(false);
        }
        match self.array()? {
            [0, b'B'] => Ok(true),
            _ => Err(self.fault("neither text nor a binary object")),
        }
    }

    /// A whole number with the byte for its size before it.
    pub fn sized_i32(&mut self) -> Result<i32, FileError> {
        match self.array::<5>()? {
            [4, number @ ..] => Ok(i32::from_le_bytes(number)),
            [size, ..] => Err(self.fault(format!("a whole number of {size} bytes"))),
        }
    }
}
