//! Reads lengths from CSV with a header, from JSON lines, or from a list of numbers.
//!
//! The first line distinguishes them: a list starts with a number, JSON with a brace, and a header with neither. Any line
//! ends and quoted numbers are accepted. Only the columns in use need to be valid text.

use std::io::Read;
use std::path::Path;

use padwise_features::FileError;
use padwise_features::files::read_regular;

use super::id_column::IdReading;
use super::json;
use super::lines::lines;
use super::reading::Reading;
use super::selection::{IdsWanted, Selection};
use super::table::Table;
use super::{LengthsError, file_name};

/// Maximum size of the input in bytes: 100 million lengths.
const LARGEST_INPUT: u64 = 1 << 30;

/// The first bytes of a gzip file.
const GZIP: &[u8] = b"\x1f\x8b";

pub(super) fn read(path: &Path, selection: &Selection) -> Result<Reading, LengthsError> {
    let from_stdin = path.as_os_str() == "-";
    let file = file_name(path);
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
    if bytes.starts_with(GZIP) {
        let problem = " is compressed: unpack it with `gunzip` first";
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
    if first.trimmed.starts_with(b"{") {
        return json::read(text, &file, selection);
    }
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

fn read_numbers(text: &[u8], file: &str, selection: &Selection) -> Result<Reading, LengthsError> {
    if let Some(option) = selection.option() {
        return Err(LengthsError::file(
            file,
            format!(
                " has one number per line and no columns: remove {option}, or add a header to the file"
            ),
        ));
    }
    let mut reading = Reading::new(None, selection.unit());
    reading.ids = (selection.ids != IdsWanted::No).then(IdReading::rows);
    for (row, line) in (0..).zip(lines(text).filter(|line| !line.trimmed.is_empty())) {
        let at_line = |problem| LengthsError::line(file, line.number, problem);
        let text = String::from_utf8_lossy(line.trimmed);
        let kept = reading.add(unquoted(&text), selection).map_err(at_line)?;
        if let (true, Some(ids)) = (kept, &mut reading.ids) {
            ids.add(row, None).map_err(at_line)?;
        }
    }
    reading.finish(file, selection)
}
