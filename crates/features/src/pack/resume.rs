//! Going on where an earlier writer stopped.

use std::io::{Seek, SeekFrom, Write};

use super::record::{self, Kind};
use super::setup::Header;
use super::writer::PackWriter;
use super::{PackError, layout, numbers};
use crate::corpus::map;

impl PackWriter {
    /// Finds what an earlier go left, cuts off what of it is not whole, and stands ready to append.
    pub(super) fn resume(&mut self) -> Result<(), PackError> {
        let opening = layout::opening(&self.header_bytes()?, None);
        let io = PackError::io;
        let len = self.file.metadata().map_err(io(&self.partial))?.len();
        self.end = opening.len() as u64;
        if len > 0 {
            let found = map(&self.file).map_err(io(&self.partial))?;
            self.check_begun(&found, &opening)?;
            while let Some(utterance) = self.utterances.get(self.done()) {
                let number = self.done() as u64;
                let Ok(record) = record::read(&found, self.end, number, &self.header.setup) else {
                    break;
                };
                // What was left out may have been mended, and what changed since must not be mixed with what did not.
                if record.kind == Kind::LeftOut || record.fingerprint != utterance.fingerprint {
                    break;
                }
                let payload = &found[record.payload as usize..];
                let numbers = record.frames as usize * self.header.setup.dims as usize;
                self.stored.resize(numbers, 0.0);
                numbers::load(payload, self.header.setup.dtype, &mut self.stored);
                self.gather()?;
                self.records.push(record);
                self.end = record.end;
            }
        }
        self.file.set_len(self.end).map_err(io(&self.partial))?;
        self.file.rewind().map_err(io(&self.partial))?;
        self.file.write_all(&opening).map_err(io(&self.partial))?;
        self.file
            .seek(SeekFrom::Start(self.end))
            .map_err(io(&self.partial))?;
        Ok(())
    }

    /// Whether what is there began as this pack begins, as far as it goes. The seal may be there already.
    fn check_begun(&self, found: &[u8], opening: &[u8]) -> Result<(), PackError> {
        let same = (0..opening.len().min(found.len()))
            .filter(|place| !(layout::UNSEALED..layout::PREAMBLE).contains(place))
            .all(|place| found[place] == opening[place]);
        if same {
            return Ok(());
        }
        let earlier: Option<Header> = found
            .get(layout::PREAMBLE..)
            .and_then(|rest| rest.get(..layout::u32_at(found, 12) as usize))
            .and_then(|header| serde_json::from_slice(header).ok());
        let difference = earlier.and_then(|earlier| self.header.difference(&earlier));
        let path = self.partial.clone();
        Err(match difference {
            Some((what, then, now)) => PackError::SetupChanged {
                path,
                what,
                then,
                now,
            },
            None => PackError::NotBegun { path },
        })
    }
}
