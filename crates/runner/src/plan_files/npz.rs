//! Plans as NumPy arrays: `ids` and `epochs` once, and a few arrays per epoch, which NumPy loads only when they are used.
//!
//! | array | type | content |
//! | --- | --- | --- |
//! | `ids` | uint8 | all ids as UTF-8, one per line |
//! | `epochs` | int64 scalar | number of epochs |
//! | `utterances_E` | int32 | utterance of every item of epoch E, as its position in `ids` |
//! | `offsets_E` | int64 | batch `b` has the items from `offsets_E[b]` to `offsets_E[b + 1]` |
//! | `padded_lengths_E` | int64 | padded length of every batch |
//! | `starts_E`, `lengths_E` | int32 | first frame and frames of every item; only if items are chunks |

use std::io::{self, Write};

use super::zip::Archive;
use super::{Epoch, PlanRequest, PlanWriter};

/// NumPy aligns the data of an array to this many bytes.
const ALIGNMENT: usize = 64;

/// Writes epochs as arrays.
pub(super) struct Arrays<W> {
    archive: Archive<W>,
}

impl<W: Write> Arrays<W> {
    pub fn new(out: W, request: &PlanRequest) -> io::Result<Self> {
        let mut archive = Archive::new(out);
        let lengths = request.lengths;
        let utterances = lengths.frames.len();
        let ids = || (0..utterances).map(|utterance| lengths.ids.get(utterance));
        let bytes: usize = ids().map(|id| id.len() + 1).sum();
        // Between ids, so that splitting at line breaks gives exactly the ids.
        let bytes = bytes.saturating_sub(1);
        archive.add("ids.npy", |out| {
            out.write_all(&header("|u1", Some(bytes)))?;
            for (number, id) in ids().enumerate() {
                if number > 0 {
                    out.write_all(b"\n")?;
                }
                out.write_all(id.as_bytes())?;
            }
            Ok(())
        })?;
        archive.add("epochs.npy", |out| {
            out.write_all(&header("<i8", None))?;
            out.write_all(&request.epochs.to_le_bytes())
        })?;
        Ok(Arrays { archive })
    }

    /// Adds an array of values, each given as its bytes.
    fn add<const N: usize, I: Iterator<Item = [u8; N]>>(
        &mut self,
        name: &str,
        epoch: &Epoch,
        length: usize,
        values: impl Fn() -> I,
    ) -> io::Result<()> {
        let name = format!("{name}_{}.npy", epoch.number);
        self.archive.add(&name, |out| {
            out.write_all(&header(&format!("<i{N}"), Some(length)))?;
            values().try_for_each(|value| out.write_all(&value))
        })
    }
}

impl<W: Write> PlanWriter for Arrays<W> {
    fn write(&mut self, epoch: &Epoch, written: &dyn Fn()) -> io::Result<()> {
        let items = || epoch.batches().flat_map(|batch| batch.items());
        let count = epoch.batches().map(|batch| batch.len()).sum();
        // The sampler plans at most 2³¹ − 1 utterances, and none is longer than that.
        self.add("utterances", epoch, count, || {
            items().map(|item| (item.sequence as i32).to_le_bytes())
        })?;
        let ends = || {
            epoch.batches().scan(0, |end: &mut i64, batch| {
                *end += batch.len() as i64;
                Some(end.to_le_bytes())
            })
        };
        self.add("offsets", epoch, epoch.len() + 1, || {
            std::iter::once(0i64.to_le_bytes()).chain(ends())
        })?;
        self.add("padded_lengths", epoch, epoch.len(), || {
            let padded = epoch.batches().map(|batch| batch.padded_length());
            padded.map(|length| i64::from(length).to_le_bytes())
        })?;
        if epoch.has_chunks {
            self.add("starts", epoch, count, || {
                items().map(|item| (item.start as i32).to_le_bytes())
            })?;
            self.add("lengths", epoch, count, || {
                items().map(|item| (item.length as i32).to_le_bytes())
            })?;
        }
        epoch.batches().for_each(|_| written());
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.archive.finish()
    }
}

/// The header of an array in NumPy's format 1.0. Without a length the array is a scalar.
fn header(kind: &str, length: Option<usize>) -> Vec<u8> {
    let shape = length
        .map(|length| format!("{length},"))
        .unwrap_or_default();
    let mut text =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}").into_bytes();
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    let before = header.len() + 2;
    let total = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text.resize(total - before - 1, b' ');
    text.push(b'\n');
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_aligned_and_end_with_a_line_break() {
        for length in [None, Some(0), Some(7), Some(usize::MAX)] {
            let header = header("<i4", length);
            assert_eq!(header.len() % ALIGNMENT, 0);
            assert_eq!(header.last(), Some(&b'\n'));
            let stated = usize::from(u16::from_le_bytes([header[8], header[9]]));
            assert_eq!(stated + 10, header.len());
        }
    }
}
