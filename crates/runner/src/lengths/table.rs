//! Reads lengths from CSV with a header.

use padwise_features::layouts::{RowSelection, find_column};
use padwise_sampler::excerpt::{excerpt, shortened};

use super::LengthsError;
use super::id_column::{IdReading, is_text};
use super::lines::line_at;
use super::reading::Reading;
use super::selection::{IdsWanted, Selection};
use crate::terminal::count;

/// The length of a value in a message.
const VALUE_IN_HINT: usize = 40;

/// Whether this looks like a mistyped number rather than a column name.
fn begins_like_a_number(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
}

/// A file with a header.
pub(super) struct Table<'a> {
    pub text: &'a [u8],
    /// The offset of the header, after any blank lines.
    pub start: usize,
    pub file: &'a str,
    pub header_line: u64,
}

impl Table<'_> {
    pub fn read(&self, selection: &Selection) -> Result<Reading, LengthsError> {
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(&self.text[self.start..]);
        let header: Vec<String> = reader
            .byte_headers()
            .map_err(|error| self.malformed(&error))?
            .iter()
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect();
        let in_header = |problem| LengthsError::line(self.file, self.header_line, problem);
        if let (None, [only]) = (selection.column, &header[..])
            && begins_like_a_number(only)
        {
            return Err(in_header(format!(
                "`{}` is not a number: write one number per line, or name the column with --column if it is a header",
                excerpt(&shortened(only, VALUE_IN_HINT))
            )));
        }
        let names: Vec<&str> = header.iter().map(String::as_str).collect();
        let column = selection.find(&names).map_err(in_header)?;
        let mut rows = RowSelection::new(&selection.filters);
        let places: Vec<usize> = rows
            .columns()
            .map(|name| find_column(&names, name))
            .collect::<Result<_, _>>()
            .map_err(in_header)?;
        let mut reading = Reading::new(Some(names[column.index]), column.unit);
        let mut id_place = None;
        let mut record = csv::ByteRecord::new();
        while reader
            .read_byte_record(&mut record)
            .map_err(|error| self.malformed(&error))?
        {
            let value = |at: usize| record.get(at).map(String::from_utf8_lossy);
            if rows.accepts(|number, _| value(places[number])) {
                let length = value(column.index).unwrap_or_default();
                let at_line = |problem| {
                    LengthsError::line(self.file, self.line_of(record.position()), problem)
                };
                let kept = reading.add(&length, selection).map_err(at_line)?;
                let IdsWanted::Yes(wanted) = selection.ids else {
                    continue;
                };
                let ids = match &mut reading.ids {
                    Some(ids) => ids,
                    None => {
                        let text = |at| value(at).is_some_and(|value| is_text(&value));
                        let ids = IdReading::choose(wanted, &names, column.index, text);
                        let ids = ids.map_err(in_header)?;
                        let named = |column| names.iter().position(|name| *name == column);
                        id_place = ids.column().and_then(named);
                        reading.ids.insert(ids)
                    }
                };
                if kept {
                    let id = id_place.and_then(|place| record.get(place));
                    ids.add(rows.rows() - 1, id).map_err(at_line)?;
                }
            }
        }
        if rows.rows() == 0 {
            return Err(LengthsError::file(
                self.file,
                " has a header but no rows: it needs at least one length",
            ));
        }
        if reading.is_empty() {
            let problem = format!(": {}", rows.nothing_left());
            return Err(LengthsError::file(self.file, problem));
        }
        reading.finish(self.file, selection)
    }

    fn malformed(&self, error: &csv::Error) -> LengthsError {
        let problem = match error.kind() {
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            } => {
                format!(
                    "{}, but the header has {expected_len}",
                    count(*len, "field")
                )
            }
            _ => error.to_string(),
        };
        LengthsError::line(self.file, self.line_of(error.position()), problem)
    }

    /// The line number of a record. The CSV reader's own count is wrong after blank lines and `\r\n`.
    fn line_of(&self, position: Option<&csv::Position>) -> u64 {
        position.map_or(self.header_line, |position| {
            let offset = usize::try_from(position.byte()).unwrap_or(usize::MAX);
            line_at(self.text, self.start.saturating_add(offset))
        })
    }
}
