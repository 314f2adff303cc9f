//! An archive as a stream of bytes that knows where it is and how much is left.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::KaldiError;

/// An archive, open at some place. Sizes read from it are held against what is left before anything is allocated.
pub(super) struct Ark {
    path: PathBuf,
    reader: BufReader<File>,
    len: u64,
    pub place: u64,
}

impl Ark {
    pub fn open(path: &Path) -> Result<Self, KaldiError> {
        let file = File::open(path).map_err(KaldiError::io(path))?;
        let len = file.metadata().map_err(KaldiError::io(path))?.len();
        let mut ark = Ark {
            path: path.to_path_buf(),
            reader: BufReader::new(file),
            len,
            place: 0,
        };
        let start = ark.reader.fill_buf().map_err(KaldiError::io(path))?;
        if start.starts_with(b"\x1f\x8b") {
            return Err(ark.fault("compressed by gzip: unpack it first"));
        }
        Ok(ark)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn fault(&self, reason: impl Into<String>) -> KaldiError {
        KaldiError::Archive {
            path: self.path.clone(),
            offset: self.place,
            reason: reason.into(),
        }
    }

    pub fn seek(&mut self, place: u64) -> Result<(), KaldiError> {
        if place > self.len {
            let reason = format!("no such place: the file has {} bytes", self.len);
            self.place = place;
            return Err(self.fault(reason));
        }
        self.reader
            .seek(SeekFrom::Start(place))
            .map_err(KaldiError::io(&self.path))?;
        self.place = place;
        Ok(())
    }

    pub fn peek(&mut self) -> Result<Option<u8>, KaldiError> {
        let bytes = self.reader.fill_buf().map_err(KaldiError::io(&self.path))?;
        Ok(bytes.first().copied())
    }

    /// The next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], KaldiError> {
        let mut bytes = [0; N];
        self.exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The next bytes, as many as asked for if the file has them.
    pub fn left(&self) -> u64 {
        self.len.saturating_sub(self.place)
    }

    pub fn bytes(&mut self, len: Option<u64>) -> Result<Vec<u8>, KaldiError> {
        let left = self.len.saturating_sub(self.place);
        match len {
            Some(len) if len <= left => {
                let mut bytes = vec![0; len as usize];
                self.exact(&mut bytes)?;
                Ok(bytes)
            }
            _ => Err(self.fault(format!(
                "an object of {} bytes, and the file has {left} more: it was cut short",
                len.map_or("uncountable".into(), |len| len.to_string())
            ))),
        }
    }

    fn exact(&mut self, bytes: &mut [u8]) -> Result<(), KaldiError> {
        match self.reader.read_exact(bytes) {
            Ok(()) => {
                self.place += bytes.len() as u64;
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(self.fault("the file was cut short"))
            }
            Err(error) => Err(KaldiError::io(&self.path)(error)),
        }
    }

    /// The next line, without its end; none at the end of the file.
    pub fn line(&mut self) -> Result<Option<String>, KaldiError> {
        let mut bytes = Vec::new();
        let read = self
            .reader
            .read_until(b'\n', &mut bytes)
            .map_err(KaldiError::io(&self.path))?;
        if read == 0 {
            return Ok(None);
        }
        let text =
            String::from_utf8(bytes).map_err(|_| self.fault("neither a binary object nor text"))?;
        self.place += read as u64;
        Ok(Some(text.trim_end_matches(['\n', '\r']).to_string()))
    }

    /// The next key and the blank after it; none at the end of the file.
    pub fn key(&mut self) -> Result<Option<String>, KaldiError> {
        while self.peek()?.is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.array::<1>()?;
        }
        let mut key = Vec::new();
        loop {
            match self.peek()? {
                Some(b' ' | b'\t') => {
                    self.array::<1>()?;
                    break;
                }
                None if key.is_empty() => return Ok(None),
                None | Some(b'\n' | 0) => return Err(self.fault("a key without an object")),
                Some(byte) => {
                    key.push(byte);
                    self.array::<1>()?;
                }
            }
        }
        let key = String::from_utf8(key).map_err(|_| self.fault("a key that is not text"))?;
        Ok(Some(key))
    }

    /// Whether a binary object is next; its mark is passed over.
    pub fn binary(&mut self) -> Result<bool, KaldiError> {
        if self.peek()? != Some(0) {
            return Ok(false);
        }
        match self.array()? {
            [0, b'B'] => Ok(true),
            _ => Err(self.fault("neither text nor a binary object")),
        }
    }

    /// A whole number with the byte for its size before it.
    pub fn sized_i32(&mut self) -> Result<i32, KaldiError> {
        match self.array::<5>()? {
            [4, number @ ..] => Ok(i32::from_le_bytes(number)),
            [size, ..] => Err(self.fault(format!("a whole number of {size} bytes"))),
        }
    }
}
