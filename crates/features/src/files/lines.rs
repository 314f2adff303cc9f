//! Lines of text files, limited in length.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::error::FileError;
use super::regular::open_regular;

/// Maximum length of a line in bytes. The longest lines are transcripts.
const LONGEST: u64 = 1 << 20;

/// The non-empty lines of a text file, with their numbers.
pub(crate) fn lines(
    path: &Path,
) -> Result<impl Iterator<Item = Result<(u64, String), FileError>>, FileError> {
    let mut reader = BufReader::new(open_regular(path)?);
    let mut number = 0;
    let mut failed = false;
    Ok(std::iter::from_fn(move || {
        while !failed {
            number += 1;
            let line = line(&mut reader, LONGEST);
            failed = line.is_err();
            match line {
                Ok(None) => return None,
                Ok(Some(line)) if line.trim().is_empty() => {}
                Ok(Some(line)) => return Some(Ok((number, line))),
                Err(error) => return Some(Err(FileError::line(path, number, error.to_string()))),
            }
        }
        None
    }))
}

/// The next line of at most `longest` bytes, without its line break; `None` at the end.
pub(crate) fn line(reader: &mut impl BufRead, longest: u64) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    // One byte more than allowed, to see whether the line goes on.
    let read = reader.take(longest + 1).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    if read as u64 > longest {
        return Err(too_long(longest));
    }
    for end in [b'\n', b'\r'] {
        bytes.pop_if(|byte| *byte == end);
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not valid UTF-8"))?;
    Ok(Some(text))
}

fn too_long(longest: u64) -> io::Error {
    let problem = format!("the line is longer than {longest} bytes: not a text file of this kind");
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// A text file for a parser that splits lines itself. Reading fails within a line that is too long.
#[cfg(feature = "layouts")]
pub(crate) struct LimitedLines<R> {
    inner: R,
    /// Bytes since the last line break.
    length: u64,
}

#[cfg(feature = "layouts")]
impl<R> LimitedLines<R> {
    pub fn new(inner: R) -> Self {
        LimitedLines { inner, length: 0 }
    }
}

#[cfg(feature = "layouts")]
impl<R: Read> Read for LimitedLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let found = &buffer[..read];
        self.length = match found.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => (read - end - 1) as u64,
            None => self.length + read as u64,
        };
        if self.length > LONGEST {
            return Err(too_long(LONGEST));
        }
        Ok(read)
    }
}
