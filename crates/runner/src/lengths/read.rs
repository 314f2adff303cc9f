//! Reads lengths from CSV with a header, or from a list of numbers.
//!
//! Which of the two a file is shows in its first line: a list starts with a number, a header does not.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use super::LengthsError;

/// The column asked for where none is named.
const DEFAULT_COLUMN: &str = "frames";

/// More frames than the sampler takes.
const MOST_FRAMES: f64 = i32::MAX as f64;

/// Which values of a file are wanted.
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
            return Err(LengthsError::BadHop { hop });
        }
        let filters = filters
            .iter()
            .map(|text| match text.split_once('=') {
                Some((column, value)) if !column.is_empty() => Ok((column, value)),
                _ => Err(LengthsError::BadFilter { text: text.clone() }),
            })
            .collect::<Result<_, _>>()?;
        Ok(Selection {
            column,
            filters,
            hop,
        })
    }

    fn length(&self, text: &str) -> Result<u32, String> {
        if let (None, Ok(frames @ 1..=0x7fff_ffff)) = (self.hop, text.parse::<u32>()) {
            return Ok(frames);
        }
        let Ok(value) = text.parse::<f64>() else {
            return Err(format!("`{text}` is not a number"));
        };
        if !value.is_finite() {
            return Err(format!("a length of {text}: it must be a finite number"));
        }
        if value < 0.0 {
            return Err(format!("a negative length, {text}"));
        }
        if value == 0.0 {
            return Err(format!(
                "a length of {text}: an utterance has at least one frame"
            ));
        }
        let frames = match self.hop {
            Some(hop) => (value * 1000.0 / hop).floor() + 1.0,
            None if value.fract() == 0.0 => value,
            None => {
                return Err(format!(
                    "{text} is not a whole number of frames; if the column is in seconds, give the hop: --hop 10"
                ));
            }
        };
        if frames > MOST_FRAMES {
            return Err(format!(
                "a length of {text}: an utterance has at most {MOST_FRAMES} frames"
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
    let mut bytes = Vec::new();
    if from_stdin {
        std::io::stdin().read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|mut f| f.read_to_end(&mut bytes))
    }
    .map_err(unreadable)?;
    // Spreadsheets like to begin with a byte-order mark.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let Some(first_line) = text
        .split(|&b| b == b'\n')
        .map(|line| line.trim_ascii())
        .find(|line| !line.is_empty())
    else {
        return Err(LengthsError::Empty { file });
    };
    let first_line = String::from_utf8_lossy(first_line);
    if is_number(first_line.trim()) {
        return read_numbers(text, &file, selection);
    }
    if first_line.split(',').all(|field| is_number(field.trim())) {
        return Err(LengthsError::NoHeader { file });
    }
    read_csv(text, &file, selection)
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok()
}

fn read_numbers(text: &[u8], file: &str, selection: &Selection) -> Result<Vec<u32>, LengthsError> {
    let option = match selection {
        Selection {
            column: Some(_), ..
        } => Some("--column"),
        Selection { filters, .. } if !filters.is_empty() => Some("--where"),
        Selection { .. } => None,
    };
    if let Some(option) = option {
        return Err(LengthsError::NoColumns {
            file: file.into(),
            option,
        });
    }
    (1..)
        .zip(text.split(|&b| b == b'\n'))
        .map(|(line, bytes)| (line, String::from_utf8_lossy(bytes.trim_ascii())))
        .filter(|(_, text)| !text.is_empty())
        .map(|(line, text)| {
            selection
                .length(&text)
                .map_err(|problem| LengthsError::BadLength {
                    file: file.into(),
                    line,
                    problem,
                })
        })
        .collect()
}

fn read_csv(text: &[u8], file: &str, selection: &Selection) -> Result<Vec<u32>, LengthsError> {
    let malformed = |error: csv::Error| LengthsError::Malformed {
        file: file.into(),
        line: error.position().map_or(1, csv::Position::line),
        problem: match error.kind() {
            csv::ErrorKind::UnequalLengths {
                expected_len, len, ..
            } => format!("{len} fields where the header has {expected_len}"),
            csv::ErrorKind::Utf8 { .. } => "not UTF-8 text".into(),
            _ => error.to_string(),
        },
    };
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(text);
    let header: Vec<String> = reader
        .headers()
        .map_err(malformed)?
        .iter()
        .map(str::to_string)
        .collect();
    let find = |column: &str| {
        let found = header.iter().position(|name| name == column);
        found.ok_or_else(|| LengthsError::MissingColumn {
            file: file.into(),
            column: column.into(),
            available: header.clone(),
        })
    };
    let column = match selection.column {
        None if header.len() == 1 => 0,
        column => find(column.unwrap_or(DEFAULT_COLUMN))?,
    };
    let filters: Vec<(usize, &str)> = selection
        .filters
        .iter()
        .map(|&(name, value)| Ok((find(name)?, value)))
        .collect::<Result<_, LengthsError>>()?;

    let (mut lengths, mut rows) = (Vec::new(), 0);
    let mut values_seen: BTreeSet<String> = BTreeSet::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(malformed)? {
        rows += 1;
        if let Some(&(at, _)) = filters.first()
            && values_seen.len() < 8
        {
            values_seen.insert(record[at].to_string());
        }
        if filters.iter().all(|&(at, value)| &record[at] == value) {
            let length =
                selection
                    .length(&record[column])
                    .map_err(|problem| LengthsError::BadLength {
                        file: file.into(),
                        line: record.position().map_or(0, csv::Position::line),
                        problem,
                    })?;
            lengths.push(length);
        }
    }
    if rows == 0 {
        return Err(LengthsError::OnlyHeader { file: file.into() });
    }
    if lengths.is_empty() {
        let all: Vec<String> = selection
            .filters
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let values: Vec<String> = values_seen.into_iter().collect();
        return Err(LengthsError::NothingLeft {
            file: file.into(),
            rows,
            filters: all.join(" and "),
            hint: format!("; {} is {}", selection.filters[0].0, values.join(", ")),
        });
    }
    Ok(lengths)
}
