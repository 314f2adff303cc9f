//! Reads lengths from CSV with a header, or from a list of numbers.
//!
//! The first line distinguishes the two: a list starts with a number, a header does not. Any line ends and quoted numbers are
//! accepted. Only the columns in use need to be valid text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use padwise_features::FileError;
use padwise_features::files::read_regular;
use padwise_sampler::excerpt::excerpt;
use padwise_sampler::suggestion::suggest;

use super::lines::{line_at, lines};
use super::{LengthsError, shortened};
use crate::terminal::count;

/// The default column.
const DEFAULT_COLUMN: &str = "frames";

/// Maximum size of the input in bytes: 100 million lengths.
const LARGEST_INPUT: u64 = 1 << 30;

/// The sampler's limit.
const MOST_FRAMES: f64 = i32::MAX as f64;

/// Number of values that a hint lists, and the length of each.
const VALUES_IN_HINT: usize = 8;
const VALUE_IN_HINT: usize = 40;

/// Which lengths to read from a file.
pub(super) struct Selection<'a> {
    column: Option<&'a str>,
    filters: Vec<(&'a str, &'a str)>,
    hop: Option<f64>,
}

impl<'a> Selection<'a> {
    pub(super) fn new(
        column: Option<&'a str>,
        filters: &'a [String],
        hop: Option<f64>,
    ) -> Result<Self, LengthsError> {
        if let Some(hop) = hop.filter(|&hop| !(hop.is_finite() && hop > 0.0)) {
            return Err(LengthsError::Option {
                option: "--hop",
                value: hop.to_string(),
                remedy: "must be a number of milliseconds above 0, for example --hop 10",
            });
        }
        let filters = filters
            .iter()
            .map(|text| match text.split_once('=') {
                Some((column, value)) if !column.trim().is_empty() => {
                    Ok((column.trim(), value.trim()))
                }
                _ => Err(LengthsError::Option {
                    option: "--where",
                    value: text.clone(),
                    remedy: "write it as COLUMN=VALUE, for example --where split=train",
                }),
            })
            .collect::<Result<_, _>>()?;
        Ok(Selection {
            column,
            filters,
            hop,
        })
    }

    /// The option that names a column, if there is one.
    pub(super) fn option(&self) -> Option<&'static str> {
        if self.column.is_some() {
            Some("--column")
        } else if self.filters.is_empty() {
            None
        } else {
            Some("--where")
        }
    }

    fn length(&self, text: &str) -> Result<u32, String> {
        if let (None, Ok(frames @ 1..=0x7fff_ffff)) = (self.hop, text.parse::<u32>()) {
            return Ok(frames);
        }
        let Ok(value) = text.parse::<f64>() else {
            return Err(format!("`{}` is not a number", excerpt(text)));
        };
        if !value.is_finite() {
            return Err(format!("the length {} is not finite", excerpt(text)));
        }
        if value < 0.0 {
            return Err(format!("the length {} is negative", excerpt(text)));
        }
        if value == 0.0 {
            return Err(format!(
                "the length is {}: an utterance has at least one frame",
                excerpt(text)
            ));
        }
        let frames = match self.hop {
            // Rounding may make a whole number of hops slightly too small.
            Some(hop) => (value * 1000.0 / hop + 1e-6).floor() + 1.0,
            None if value.fract() == 0.0 => value,
            None => {
                return Err(format!(
                    "{} is not a whole number of frames; if lengths are in seconds, add --hop 10",
                    excerpt(text)
                ));
            }
        };
        if frames > MOST_FRAMES {
            return Err(format!(
                "the length is {}: an utterance has at most {MOST_FRAMES} frames",
                excerpt(text)
            ));
        }
        Ok(frames as u32)
    }
}

pub(super) fn read(path: &Path, selection: &Selection) -> Result<Vec<u32>, LengthsError> {
    let from_stdin = path.as_os_str() == "-";
    let file = if from_stdin {
        "standard input".to_string()
    } else {
        path.display().to_string()
    };
    let unreadable = |source| LengthsError::Read {
        file: file.clone(),
        source,
    };
    let bytes = if from_stdin {
        let mut bytes = Vec::new();
        let mut input = std::io::stdin().take(LARGEST_INPUT + 1);
        input.read_to_end(&mut bytes).map_err(unreadable)?;
        bytes
    } else {
        read_regular(path, LARGEST_INPUT).map_err(|error| match error {
            FileError::Io { source, .. } => unreadable(source),
            other => LengthsError::Special(other),
        })?
    };
    if bytes.len() as u64 > LARGEST_INPUT {
        let problem =
            format!(" has more than {LARGEST_INPUT} bytes: keep only the column with the lengths");
        return Err(LengthsError::file(file, problem));
    }
    // Spreadsheets may write a byte-order mark.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let Some(first) = lines(text).find(|line| !line.trimmed.is_empty()) else {
        return Err(LengthsError::file(
            file,
            " is empty: it needs at least one length",
        ));
    };
    let header = String::from_utf8_lossy(first.trimmed);
    if is_number(unquoted(&header)) {
        return read_numbers(text, &file, selection);
    }
    if header.split(',').all(|field| is_number(unquoted(field))) {
        return Err(LengthsError::line(
            file,
            first.number,
            "several columns without a header: add a first line with column names",
        ));
    }
    Table {
        text,
        start: first.start,
        file: &file,
        header_line: first.number,
    }
    .read(selection)
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    inside.unwrap_or(text).trim()
}

/// Whether this looks like a mistyped number rather than a column name.
fn begins_like_a_number(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
}

fn read_numbers(text: &[u8], file: &str, selection: &Selection) -> Result<Vec<u32>, LengthsError> {
    if let Some(option) = selection.option() {
        return Err(LengthsError::file(
            file,
            format!(
                " has one number per line and no columns: remove {option}, or add a header to the file"
            ),
        ));
    }
    lines(text)
        .filter(|line| !line.trimmed.is_empty())
        .map(|line| {
            let text = String::from_utf8_lossy(line.trimmed);
            selection
                .length(unquoted(&text))
                .map_err(|problem| LengthsError::line(file, line.number, problem))
        })
        .collect()
}

/// A file with a header.
struct Table<'a> {
    text: &'a [u8],
    /// The offset of the header, after any blank lines.
    start: usize,
    file: &'a str,
    header_line: u64,
}

impl Table<'_> {
    fn read(&self, selection: &Selection) -> Result<Vec<u32>, LengthsError> {
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(&self.text[self.start..]);
        let header: Vec<String> = reader
            .byte_headers()
            .map_err(|error| self.malformed(&error))?
            .iter()
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect();
        let column = match (selection.column, &header[..]) {
            (None, [only]) if begins_like_a_number(only) => {
                let problem = format!(
                    "`{}` is not a number: write one number per line, or name the column with --column if it is a header",
                    excerpt(&shortened(only, VALUE_IN_HINT))
                );
                return Err(LengthsError::line(self.file, self.header_line, problem));
            }
            (None, [_]) => 0,
            (column, _) => self.find(&header, column.unwrap_or(DEFAULT_COLUMN))?,
        };
        let filters: Vec<(usize, &str)> = selection
            .filters
            .iter()
            .map(|&(name, value)| Ok((self.find(&header, name)?, value)))
            .collect::<Result<_, LengthsError>>()?;

        let (mut lengths, mut rows) = (Vec::new(), 0);
        let mut values_seen: BTreeSet<Vec<u8>> = BTreeSet::new();
        let mut record = csv::ByteRecord::new();
        while reader
            .read_byte_record(&mut record)
            .map_err(|error| self.malformed(&error))?
        {
            rows += 1;
            // One more than a hint lists, to know whether to end it with an ellipsis.
            if let Some(&(at, _)) = filters.first()
                && values_seen.len() <= VALUES_IN_HINT
                && !values_seen.contains(&record[at])
            {
                values_seen.insert(record[at].to_vec());
            }
            if filters
                .iter()
                .all(|&(at, value)| record[at] == *value.as_bytes())
            {
                let text: Cow<str> = String::from_utf8_lossy(&record[column]);
                let length = selection.length(&text);
                lengths.push(length.map_err(|problem| {
                    LengthsError::line(self.file, self.line_of(record.position()), problem)
                })?);
            }
        }
        if rows == 0 {
            return Err(LengthsError::file(
                self.file,
                " has a header but no rows: it needs at least one length",
            ));
        }
        if lengths.is_empty() {
            return Err(self.nothing_left(selection, rows, &values_seen));
        }
        Ok(lengths)
    }

    fn find(&self, header: &[String], column: &str) -> Result<usize, LengthsError> {
        let found = header.iter().position(|name| name == column);
        found.ok_or_else(|| {
            let names: Vec<&str> = header.iter().map(String::as_str).collect();
            let hint = suggest(column, &names)
                .map(|name| format!(" (did you mean `{}`?)", excerpt(name)))
                .unwrap_or_default();
            let problem = format!(
                "no column `{}`{hint}; the columns are {}",
                excerpt(column),
                excerpt(&names.join(", "))
            );
            LengthsError::line(self.file, self.header_line, problem)
        })
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

    fn nothing_left(
        &self,
        selection: &Selection,
        rows: usize,
        values_seen: &BTreeSet<Vec<u8>>,
    ) -> LengthsError {
        let conditions: Vec<String> = selection
            .filters
            .iter()
            .map(|(name, value)| format!("{}={}", excerpt(name), excerpt(value)))
            .collect();
        let mut values: Vec<String> = values_seen
            .iter()
            .take(VALUES_IN_HINT)
            .map(|value| excerpt(&shortened(&String::from_utf8_lossy(value), VALUE_IN_HINT)))
            .collect();
        if values_seen.len() > VALUES_IN_HINT {
            values.push("…".into());
        }
        let first = selection.filters.first().map_or("", |&(name, _)| name);
        let problem = format!(
            ": none of the {} has {}; values of {}: {}",
            count(rows, "row"),
            conditions.join(" and "),
            excerpt(first),
            values.join(", ")
        );
        LengthsError::file(self.file, problem)
    }
}
