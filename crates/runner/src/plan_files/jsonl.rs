//! Plans as JSON lines: one record per line.

use std::io::{self, Write};

use super::{Epoch, PlanWriter};

/// Writes records as JSON lines.
pub(super) struct JsonLines<W> {
    out: W,
}

impl<W: Write> JsonLines<W> {
    pub fn new(out: W) -> Self {
        JsonLines { out }
    }
}

impl<W: Write> PlanWriter for JsonLines<W> {
    fn write(&mut self, epoch: &Epoch, written: &dyn Fn()) -> io::Result<()> {
        for record in epoch.records() {
            serde_json::to_writer(&mut self.out, &record)?;
            self.out.write_all(b"\n")?;
            written();
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
