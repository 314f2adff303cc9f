//! Lines of text files, plain or compressed with gzip, limited in length.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::DecoderError;

/// The first bytes of a file compressed with gzip. The file's name does not matter.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Bytes that are read or decompressed at once.
const BUFFER: usize = 1 << 16;

/// Opens a file for reading. Folders, FIFOs and devices are errors, because reading them can block forever.
pub(crate) fn open(path: &Path) -> Result<BufReader<File>, DecoderError> {
    check(path, &fs::metadata(path).map_err(DecoderError::io(path))?)?;
    let file = File::open(path).map_err(DecoderError::io(path))?;
    // The file may have been replaced between the two calls.
    check(path, &file.metadata().map_err(DecoderError::io(path))?)?;
    Ok(BufReader::with_capacity(BUFFER, file))
}

fn check(path: &Path, metadata: &fs::Metadata) -> Result<(), DecoderError> {
    let found = match metadata.file_type() {
        found if found.is_file() => return Ok(()),
        found if found.is_dir() => "a folder",
        _ => "a FIFO, socket or device",
    };
    let reason = format!("{found}: expected a regular file");
    Err(DecoderError::content(path, reason))
}

/// Reads a text line by line, and knows the number of the current line for messages.
pub(crate) struct Lines<'a> {
    path: &'a Path,
    reader: Box<dyn BufRead + 'a>,
    is_compressed: bool,
    longest: u64,
    number: u64,
    text: String,
}

impl<'a> Lines<'a> {
    /// Starts before the first line. No line may have more than `longest` bytes.
    pub fn new(
        path: &'a Path,
        mut reader: impl BufRead + 'a,
        longest: u64,
    ) -> Result<Self, DecoderError> {
        let mut first = Vec::with_capacity(GZIP.len());
        let read = reader.by_ref().take(GZIP.len() as u64);
        { read }
            .read_to_end(&mut first)
            .map_err(DecoderError::io(path))?;
        let is_compressed = first == GZIP;
        let whole = Cursor::new(first).chain(reader);
        let reader: Box<dyn BufRead> = if is_compressed {
            Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(whole)))
        } else {
            Box::new(whole)
        };
        Ok(Lines {
            path,
            reader,
            is_compressed,
            longest,
            number: 0,
            text: String::new(),
        })
    }

    /// Goes to the next line; false at the end.
    pub fn advance(&mut self) -> Result<bool, DecoderError> {
        self.number += 1;
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.clear();
        // One byte more than allowed, to see whether the line goes on.
        let mut limited = self.reader.by_ref().take(self.longest + 1);
        let read = limited.read_until(b'\n', &mut bytes);
        let read = read.map_err(|error| self.unreadable(error))?;
        if read as u64 > self.longest {
            let longest = self.longest;
            let reason =
                format!("the line is longer than {longest} bytes: not a file of this kind");
            return Err(self.error(reason));
        }
        for end in [b'\n', b'\r'] {
            bytes.pop_if(|byte| *byte == end);
        }
        let text = String::from_utf8(bytes);
        self.text = text.map_err(|_| self.error("not valid UTF-8: convert the file with iconv"))?;
        Ok(read > 0)
    }

    /// The current line, without white space at its ends.
    pub fn text(&self) -> &str {
        let text = match self.number {
            // A mark that some editors write at the start of a file.
            1 => self.text.trim_start_matches('\u{feff}'),
            _ => &self.text,
        };
        text.trim()
    }

    /// The number of the current line, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The file's name.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// An error in the current line.
    pub fn error(&self, reason: impl Into<String>) -> DecoderError {
        DecoderError::line(self.path, self.number, reason)
    }

    fn unreadable(&self, error: io::Error) -> DecoderError {
        if !self.is_compressed {
            return self.error(error.to_string());
        }
        let problem = match error.kind() {
            io::ErrorKind::UnexpectedEof => "the gzip file ends too early".to_owned(),
            _ => format!("the gzip file is damaged ({error})"),
        };
        self.error(format!("{problem}: copy or compress it again"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn compressed(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).expect("memory");
        encoder.finish().expect("memory")
    }

    fn read(bytes: &[u8], longest: u64) -> Result<Vec<String>, String> {
        let said = |error: DecoderError| error.to_string();
        let mut lines = Lines::new(Path::new("a.txt"), bytes, longest).map_err(said)?;
        let mut all = Vec::new();
        while lines.advance().map_err(said)? {
            all.push(format!("{} {}", lines.number(), lines.text()));
        }
        Ok(all)
    }

    #[test]
    fn plain_and_compressed_lines_are_the_same() {
        let text = "\u{feff}one\r\n\n two ";
        let expected = Ok(vec!["1 one".to_owned(), "2 ".into(), "3 two".into()]);
        assert_eq!(read(text.as_bytes(), 8), expected);
        assert_eq!(read(&compressed(text), 8), expected);
        // Two gzip files one after the other are one file.
        let (first, second) = text.split_at(5);
        let both = [compressed(first), compressed(second)].concat();
        assert_eq!(read(&both, 8), expected);
        assert_eq!(read(b"", 8), Ok(vec![]));
        assert_eq!(read(b"\x1f", 8), Ok(vec!["1 \u{1f}".to_owned()]));
    }

    #[test]
    fn damage_is_reported_with_its_line() {
        let text: String = (0..9999).map(|number| format!("{number}\n")).collect();
        let whole = compressed(&text);
        let said = read(&whole[..whole.len() / 2], 8).expect_err("truncated");
        let line: u64 = said
            .split(':')
            .nth(1)
            .and_then(|l| l.parse().ok())
            .expect("a line");
        assert!((1000..9000).contains(&line), "{said}");
        assert!(said.ends_with("the gzip file ends too early: copy or compress it again"));
        let mut damaged = whole.clone();
        let end = damaged.len();
        damaged[end - 8] ^= 1;
        let said = read(&damaged, 8).expect_err("a wrong checksum");
        assert!(said.contains("the gzip file is damaged"), "{said}");
    }

    #[test]
    fn long_lines_and_other_encodings_are_refused() {
        let said = read(b"12345678\n123456789\n", 9).expect_err("too long");
        assert_eq!(
            said,
            "a.txt:2: the line is longer than 9 bytes: not a file of this kind"
        );
        let said = read(b"caf\xe9\n", 9).expect_err("Latin 1");
        assert_eq!(
            said,
            "a.txt:1: not valid UTF-8: convert the file with iconv"
        );
    }

    #[test]
    fn folders_are_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let said = open(folder.path()).expect_err("a folder").to_string();
        assert!(
            said.ends_with("a folder: expected a regular file"),
            "{said}"
        );
    }
}
