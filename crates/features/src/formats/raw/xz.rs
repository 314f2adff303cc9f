//! Sizes of an `.xz` file, measured without decompressing it.
//!
//! Every chunk of compressed data starts with its compressed and its uncompressed size, so a scan from chunk to chunk
//! finds the total size and the dictionaries. The decompressor allocates a dictionary as soon as it reads its size.
//! Format: <https://tukaani.org/xz/xz-file-format.txt>.

use std::io::{self, BufRead, Seek};

/// Largest dictionary in bytes: that of `xz -9`.
const LARGEST_DICTIONARY: u64 = 64 << 20;

/// Maximum number of streams without data. The decompressor calls itself for each.
const MOST_EMPTY_STREAMS: usize = 64;

const LZMA2: u64 = 0x21;

/// The uncompressed size in bytes. Damage that the scan notices ends it: the decompressor reports it later.
pub(super) fn uncompressed_size(file: &mut (impl BufRead + Seek)) -> io::Result<u64> {
    let mut scan = Scan {
        file,
        place: 0,
        total: 0,
        empty_streams: 0,
    };
    while scan.stream()? {}
    Ok(scan.total)
}

struct Scan<'a, F> {
    file: &'a mut F,
    place: u64,
    total: u64,
    empty_streams: usize,
}

impl<F: BufRead + Seek> Scan<'_, F> {
    /// Scans a stream, and the padding before it. Returns whether it was one.
    fn stream(&mut self) -> io::Result<bool> {
        while self.file.fill_buf()?.first() == Some(&0) {
            self.skip(1)?;
        }
        let Some(head) = self.bytes::<12>()? else {
            return Ok(false);
        };
        if !head.starts_with(b"\xfd7zXZ\0") {
            return Ok(false);
        }
        // Sizes of the checksum types, in threes: none, then 4 to 64 bytes.
        let check = match head[7] & 0x0f {
            0 => 0,
            kind => 4u64 << ((kind - 1) / 3),
        };
        let mut blocks = 0u64;
        loop {
            let start = self.place;
            match self.bytes::<1>()? {
                None => return Ok(false),
                // The index follows the last block.
                Some([0]) => break,
                Some([size]) => self.block_header(start, u64::from(size))?,
            }
            blocks += 1;
            let data = self.place;
            if !self.chunks()? {
                return Ok(false);
            }
            let padding = (self.place - data).wrapping_neg() % 4;
            self.skip(padding + check)?;
        }
        if blocks == 0 {
            self.empty_streams += 1;
            if self.empty_streams > MOST_EMPTY_STREAMS {
                return Err(damaged(format!(
                    "more than {MOST_EMPTY_STREAMS} empty xz streams"
                )));
            }
        }
        let start = self.place - 1;
        let Some(records) = self.number()? else {
            return Ok(false);
        };
        // The decompressor reserves memory for this many.
        if records != blocks {
            return Err(damaged(format!(
                "xz index of {records} blocks, but there are {blocks}"
            )));
        }
        for _ in 0..records.saturating_mul(2) {
            if self.number()?.is_none() {
                return Ok(false);
            }
        }
        // Padding and checksum of the index, and the footer.
        let padding = (self.place - start).wrapping_neg() % 4;
        self.skip(padding + 4 + 12)?;
        Ok(true)
    }

    /// Checks the dictionary of a block, and moves to its data.
    fn block_header(&mut self, start: u64, size: u64) -> io::Result<()> {
        let end = start + 4 * (size + 1);
        let Some([flags]) = self.bytes()? else {
            return Ok(());
        };
        // Compressed and uncompressed size, if present. They are not trusted.
        for _ in 0..(u32::from(flags & 0xc0)).count_ones() {
            self.number()?;
        }
        for _ in 0..=flags & 3 {
            let (Some(filter), Some(len)) = (self.number()?, self.number()?) else {
                return Ok(());
            };
            if self.place >= end {
                break;
            }
            if filter != LZMA2 {
                self.skip(len)?;
            } else if let Some([bits]) = self.bytes()? {
                let dictionary = (2 | u64::from(bits & 1)) << (u32::from(bits.min(40)) / 2 + 11);
                if dictionary > LARGEST_DICTIONARY {
                    return Err(damaged(format!(
                        "xz dictionary of {dictionary} bytes, at most {LARGEST_DICTIONARY} are supported: compress it again with `xz -9` or lower"
                    )));
                }
            }
        }
        self.skip(end.saturating_sub(self.place))
    }

    /// Adds up the chunks of a block. Returns whether they have an end.
    fn chunks(&mut self) -> io::Result<bool> {
        loop {
            let Some([control]) = self.bytes()? else {
                return Ok(false);
            };
            let (unpacked, packed) = match control {
                0 => return Ok(true),
                1 | 2 => {
                    let Some(size) = self.bytes()? else {
                        return Ok(false);
                    };
                    let size = 1 + u64::from(u16::from_be_bytes(size));
                    (size, size)
                }
                0x80.. => {
                    let Some([a, b, c, d]) = self.bytes()? else {
                        return Ok(false);
                    };
                    let high = u64::from(control & 0x1f) << 16;
                    let properties = u64::from(control >= 0xc0);
                    (
                        high + u64::from(u16::from_be_bytes([a, b])) + 1,
                        u64::from(u16::from_be_bytes([c, d])) + 1 + properties,
                    )
                }
                _ => return Ok(false),
            };
            self.total += unpacked;
            self.skip(packed)?;
        }
    }

    /// An integer of seven bits per byte.
    fn number(&mut self) -> io::Result<Option<u64>> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let Some([byte]) = self.bytes()? else {
                return Ok(None);
            };
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    fn bytes<const N: usize>(&mut self) -> io::Result<Option<[u8; N]>> {
        let mut bytes = [0; N];
        match self.file.read_exact(&mut bytes) {
            Ok(()) => {
                self.place += N as u64;
                Ok(Some(bytes))
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let bytes = bytes.min(1 << 62);
        self.place += bytes;
        self.file.seek_relative(bytes as i64)
    }
}

fn damaged(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}
