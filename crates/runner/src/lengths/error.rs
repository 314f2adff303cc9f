//! What can be wrong with a file of lengths.

use std::io;

use thiserror::Error;

/// Lengths that cannot be read, with the file, the line and the remedy.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LengthsError {
    /// Neither a file nor a profile.
    #[error(
        "no lengths given: name a FILE (CSV with a header, or one number a line; - for standard input) or --profile ljspeech, chime4 or librispeech"
    )]
    NoSource,
    /// The file cannot be read.
    #[error("cannot read {file}")]
    Read {
        /// The file.
        file: String,
        /// Why not.
        source: io::Error,
    },
    /// The file is not CSV.
    #[error("{file}:{line}: {problem}")]
    Malformed {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// There is no row at all.
    #[error("{file} is empty: it needs at least one length")]
    Empty {
        /// The file.
        file: String,
    },
    /// A header, and nothing after it.
    #[error("{file} has a header and no rows: it needs at least one length")]
    OnlyHeader {
        /// The file.
        file: String,
    },
    /// A column that the header does not have.
    #[error("{file}:{line}: no column `{column}`{}; there are {}", did_you_mean(.column, .available), .available.join(", "))]
    MissingColumn {
        /// The file.
        file: String,
        /// The header's line.
        line: u64,
        /// The column asked for.
        column: String,
        /// The columns there are.
        available: Vec<String>,
    },
    /// Several columns and no header.
    #[error(
        "{file}:{line}: several columns and no header: begin the file with a line of column names"
    )]
    NoHeader {
        /// The file.
        file: String,
        /// The first line that is not blank.
        line: u64,
    },
    /// A first line that is no number, but looks too much like one to be a header.
    #[error(
        "{file}:{line}: `{text}` is neither a number nor the name of a column: a list is one number a line and nothing else; if it is a header, name it with --column"
    )]
    NeitherNumberNorName {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// What stands there.
        text: String,
    },
    /// A column was named, but a list of plain numbers has none.
    #[error(
        "{file} is one number a line and has no columns: drop {option}, or give the file a header"
    )]
    NoColumns {
        /// The file.
        file: String,
        /// The option that names a column.
        option: &'static str,
    },
    /// A column was named, but a pack has none.
    #[error("{file} is a pack and has no columns: drop {option}")]
    PackColumns {
        /// The file.
        file: String,
        /// The option that names a column.
        option: &'static str,
    },
    /// A pack that cannot be opened.
    #[error(transparent)]
    Pack(#[from] padwise_features::pack::PackError),
    /// A value that is no length.
    #[error("{file}:{line}: {problem}")]
    BadLength {
        /// The file.
        file: String,
        /// The line.
        line: u64,
        /// What is wrong with which value.
        problem: String,
    },
    /// A condition that is not `column=value`.
    #[error("--where {text}: write it as COLUMN=VALUE, for example --where split=train")]
    BadFilter {
        /// The condition as given.
        text: String,
    },
    /// Conditions that no row meets.
    #[error("{file}: none of {rows} rows has {filters}{hint}")]
    NothingLeft {
        /// The file.
        file: String,
        /// How many rows there are.
        rows: usize,
        /// The conditions.
        filters: String,
        /// Values that the column does have.
        hint: String,
    },
    /// A hop that is none.
    #[error("--hop {hop}: a hop is a number of milliseconds above 0, for example --hop 10")]
    BadHop {
        /// The hop as given.
        hop: f64,
    },
}

fn did_you_mean(column: &str, available: &[String]) -> String {
    available
        .iter()
        .map(|name| (strsim::levenshtein(column, name), name))
        .min()
        .filter(|(distance, name)| *distance <= 1 + name.len() / 3)
        .map(|(_, name)| format!(" (did you mean `{name}`?)"))
        .unwrap_or_default()
}
