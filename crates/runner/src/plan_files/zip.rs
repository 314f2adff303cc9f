//! Writes files into a ZIP archive without compression, to any output and with little memory.
//!
//! The content of each file is made twice: first for its size and checksum, which precede it in the archive. The ZIP64
//! fields are written only where a number needs them, because small readers of `.npz` files do not know them.

use std::io::{self, BufWriter, Write};

use flate2::Crc;

/// Numbers from here on do not fit a plain field, because it would then mark a ZIP64 field.
const ZIP64_FROM: u64 = u32::MAX as u64;
/// The same for the number of files.
const MANY_FILES: u64 = u16::MAX as u64;
/// 1 January 1980, the earliest date. Equal plans are equal files.
const DATE: u16 = 0x21;
/// The versions of the format with and without ZIP64.
const VERSION: u16 = 20;
const ZIP64_VERSION: u16 = 45;

/// An archive that is being written.
pub(super) struct Archive<W> {
    out: W,
    /// Bytes written so far.
    offset: u64,
    entries: Vec<Entry>,
    zip64_from: u64,
}

/// A file in the archive.
struct Entry {
    name: String,
    checksum: u32,
    size: u64,
    offset: u64,
}

/// Counts bytes and computes their checksum.
#[derive(Default)]
struct Measure {
    checksum: Crc,
    size: u64,
}

impl Write for Measure {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.checksum.update(bytes);
        self.size += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write> Archive<W> {
    pub fn new(out: W) -> Self {
        Archive {
            out,
            offset: 0,
            entries: Vec::new(),
            zip64_from: ZIP64_FROM,
        }
    }

    /// Adds a file. `content` is called twice and must write the same bytes.
    pub fn add(
        &mut self,
        name: &str,
        content: impl Fn(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut measure = BufWriter::new(Measure::default());
        content(&mut measure)?;
        let measure = measure.into_inner().map_err(|error| error.into_error())?;
        let entry = Entry {
            name: name.into(),
            checksum: measure.checksum.sum(),
            size: measure.size,
            offset: self.offset,
        };
        let header = self.local_header(&entry);
        self.out.write_all(&header)?;
        content(&mut self.out)?;
        self.offset += header.len() as u64 + entry.size;
        self.entries.push(entry);
        Ok(())
    }

    /// Writes the directory at the end of the archive.
    pub fn finish(&mut self) -> io::Result<()> {
        let start = self.offset;
        let mut directory = Vec::new();
        for entry in &self.entries {
            directory.extend(self.directory_entry(entry));
        }
        let (count, size) = (self.entries.len() as u64, directory.len() as u64);
        let end = start + size;
        if count >= MANY_FILES.min(self.zip64_from) || end >= self.zip64_from {
            directory.extend(b"PK\x06\x06");
            directory.extend(44u64.to_le_bytes());
            directory.extend(ZIP64_VERSION.to_le_bytes());
            directory.extend(ZIP64_VERSION.to_le_bytes());
            directory.extend([0; 8]);
            for number in [count, count, size, start] {
                directory.extend(number.to_le_bytes());
            }
            directory.extend(b"PK\x06\x07");
            directory.extend([0; 4]);
            directory.extend(end.to_le_bytes());
            directory.extend(1u32.to_le_bytes());
        }
        directory.extend(b"PK\x05\x06");
        directory.extend([0; 4]);
        let count = count.min(MANY_FILES) as u16;
        directory.extend(count.to_le_bytes());
        directory.extend(count.to_le_bytes());
        directory.extend(self.plain(size).to_le_bytes());
        directory.extend(self.plain(start).to_le_bytes());
        directory.extend([0; 2]);
        self.out.write_all(&directory)?;
        self.out.flush()
    }

    /// A number in its plain field, which is full if a ZIP64 field has the number.
    fn plain(&self, number: u64) -> u32 {
        match u32::try_from(number) {
            Ok(plain) if number < self.zip64_from => plain,
            _ => u32::MAX,
        }
    }

    /// The ZIP64 field with those numbers that need it.
    fn extra(&self, numbers: &[u64]) -> Vec<u8> {
        let large = numbers.iter().filter(|&&number| number >= self.zip64_from);
        let numbers: Vec<u8> = large.flat_map(|number| number.to_le_bytes()).collect();
        if numbers.is_empty() {
            return numbers;
        }
        let mut extra = 1u16.to_le_bytes().to_vec();
        extra.extend((numbers.len() as u16).to_le_bytes());
        extra.extend(numbers);
        extra
    }

    fn local_header(&self, entry: &Entry) -> Vec<u8> {
        let extra = self.extra(&[entry.size, entry.size]);
        let mut header = b"PK\x03\x04".to_vec();
        header.extend(self.common_fields(entry, &extra));
        header.extend(entry.name.as_bytes());
        header.extend(extra);
        header
    }

    fn directory_entry(&self, entry: &Entry) -> Vec<u8> {
        let extra = self.extra(&[entry.size, entry.size, entry.offset]);
        let mut header = b"PK\x01\x02".to_vec();
        header.extend(ZIP64_VERSION.to_le_bytes());
        header.extend(self.common_fields(entry, &extra));
        // Comment, disk and attributes.
        header.extend([0; 10]);
        header.extend(self.plain(entry.offset).to_le_bytes());
        header.extend(entry.name.as_bytes());
        header.extend(extra);
        header
    }

    /// The fields that local header and directory share: version, flags, method, time, sizes and lengths of what follows.
    fn common_fields(&self, entry: &Entry, extra: &[u8]) -> Vec<u8> {
        let version = if extra.is_empty() {
            VERSION
        } else {
            ZIP64_VERSION
        };
        let mut fields = Vec::new();
        for number in [version, 0, 0, 0, DATE] {
            fields.extend(number.to_le_bytes());
        }
        fields.extend(entry.checksum.to_le_bytes());
        let size = self.plain(entry.size);
        fields.extend(size.to_le_bytes());
        fields.extend(size.to_le_bytes());
        fields.extend((entry.name.len() as u16).to_le_bytes());
        fields.extend((extra.len() as u16).to_le_bytes());
        fields
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Python reads both variants: with plain fields, and with ZIP64 fields from small numbers on.
    #[test]
    fn python_reads_every_variant() {
        let folder = tempfile::tempdir().expect("a folder");
        for zip64_from in [ZIP64_FROM, 50, 1, 0] {
            let mut bytes = Vec::new();
            let mut archive = Archive::new(&mut bytes);
            archive.zip64_from = zip64_from;
            archive
                .add("a.txt", |out| out.write_all(b"first"))
                .and_then(|()| archive.add("b.txt", |_| Ok(())))
                .and_then(|()| archive.add("c.txt", |out| out.write_all(&[b'c'; 100])))
                .and_then(|()| archive.finish())
                .expect("an archive");
            let path = folder.path().join("a.zip");
            std::fs::write(&path, &bytes).expect("a writable folder");
            let script = "import sys, zipfile\n\
                file = zipfile.ZipFile(sys.argv[1])\n\
                assert file.testzip() is None\n\
                content = {name: file.read(name) for name in file.namelist()}\n\
                assert content == {'a.txt': b'first', 'b.txt': b'', 'c.txt': b'c' * 100}, content\n";
            let python = Command::new("python3")
                .args(["-c", script])
                .arg(&path)
                .output();
            match python {
                Ok(output) => {
                    let said = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "{zip64_from}: {said}");
                }
                Err(error) => {
                    let _ = writeln!(io::stderr(), "SKIPPED python_reads_every_variant: {error}");
                }
            }
        }
    }
}
