//! Plans as CSV: one line per item, because CSV has no lists.

use std::io::{self, Write};

use csv::{ErrorKind, Writer};

use super::{Epoch, PlanWriter, Record};

/// Columns of all plans, and those that chunks add.
const COLUMNS: [&str; 4] = ["epoch", "batch", "padded_length", "id"];
const CHUNK_COLUMNS: [&str; 2] = ["start", "length"];

/// Writes the items of records as a table.
pub(super) struct Table<W: Write> {
    out: Writer<W>,
    has_header: bool,
}

impl<W: Write> Table<W> {
    pub fn new(out: W) -> Self {
        Table {
            out: Writer::from_writer(out),
            has_header: false,
        }
    }

    fn write_record(&mut self, record: &Record) -> csv::Result<()> {
        let head = [
            record.epoch.to_string(),
            record.batch.to_string(),
            record.padded_length.to_string(),
        ];
        for (item, id) in record.ids.iter().enumerate() {
            for field in &head {
                self.out.write_field(field)?;
            }
            self.out.write_field(id.as_bytes())?;
            for values in [&record.starts, &record.lengths].into_iter().flatten() {
                self.out.write_field(values[item].to_string())?;
            }
            self.out.write_record(None::<&[u8]>)?;
        }
        Ok(())
    }
}

impl<W: Write> PlanWriter for Table<W> {
    fn write(&mut self, epoch: &Epoch, written: &dyn Fn()) -> io::Result<()> {
        if !self.has_header {
            let chunks = CHUNK_COLUMNS.iter().filter(|_| epoch.has_chunks);
            let header = COLUMNS.iter().chain(chunks);
            self.out.write_record(header).map_err(io_error)?;
            self.has_header = true;
        }
        for record in epoch.records() {
            self.write_record(&record).map_err(io_error)?;
            written();
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The error of the output. The conversion in the CSV crate would hide that a pipe was closed.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
