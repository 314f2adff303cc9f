//! Selects rows of a table by the values of its columns.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::str::FromStr;

use padwise_sampler::excerpt::{excerpt, shortened};
use padwise_sampler::suggestion::suggest;
use thiserror::Error;

/// Number of values that a hint lists, and the length of each.
const VALUES_IN_HINT: usize = 8;
const VALUE_IN_HINT: usize = 40;

/// A condition on a row: this column has this value. Written as `COLUMN=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFilter {
    /// Name of the column.
    pub column: String,
    /// The value that a row must have.
    pub value: String,
}

/// Text that is not `COLUMN=VALUE`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("--where {}: write it as COLUMN=VALUE, for example --where split=train", excerpt(.0))]
pub struct RowFilterError(String);

impl FromStr for RowFilter {
    type Err = RowFilterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text
            .split_once('=')
            .map(|(column, value)| (column.trim(), value.trim()))
        {
            Some((column, value)) if !column.is_empty() => Ok(RowFilter {
                column: column.to_owned(),
                value: value.to_owned(),
            }),
            _ => Err(RowFilterError(text.to_owned())),
        }
    }
}

impl RowFilter {
    /// Reads all conditions of a command line.
    ///
    /// # Errors
    /// Names the first one that is not `COLUMN=VALUE`.
    pub fn parse_all(texts: &[String]) -> Result<Vec<Self>, RowFilterError> {
        texts.iter().map(|text| text.parse()).collect()
    }
}

/// Selects the rows that meet all conditions, and remembers which values there were.
#[derive(Clone, Debug)]
pub struct RowSelection<'a> {
    filters: &'a [RowFilter],
    rows: u64,
    /// Values of the first condition's column.
    seen: BTreeSet<String>,
}

impl<'a> RowSelection<'a> {
    /// Selects rows by these conditions; all rows if there are none.
    pub fn new(filters: &'a [RowFilter]) -> Self {
        RowSelection {
            filters,
            rows: 0,
            seen: BTreeSet::new(),
        }
    }

    /// Whether the next row meets all conditions. `value` returns the row's value in a column.
    pub fn accepts<'b>(&mut self, value: impl Fn(usize, &str) -> Option<Cow<'b, str>>) -> bool {
        self.rows += 1;
        let mut accepted = true;
        for (number, filter) in self.filters.iter().enumerate() {
            let found = value(number, &filter.column);
            accepted &= found.as_deref() == Some(filter.value.as_str());
            // One more than a hint lists, to know whether to end it with an ellipsis.
            if let Some(found) = found
                && number == 0
                && self.seen.len() <= VALUES_IN_HINT
                && !self.seen.contains(found.as_ref())
            {
                self.seen.insert(found.into_owned());
            }
        }
        accepted
    }

    /// The columns of the conditions.
    pub fn columns(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.filters.iter().map(|filter| filter.column.as_str())
    }

    /// Number of rows seen.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The message when no row met the conditions, with the values that there were.
    pub fn nothing_left(&self) -> String {
        let conditions: Vec<String> = self
            .filters
            .iter()
            .map(|filter| format!("{}={}", excerpt(&filter.column), excerpt(&filter.value)))
            .collect();
        let first = self.filters.first().map_or("", |filter| &filter.column);
        let shown = self.seen.iter().take(VALUES_IN_HINT);
        let mut values: Vec<String> = shown
            .map(|value| excerpt(&shortened(value, VALUE_IN_HINT)))
            .collect();
        if self.seen.len() > VALUES_IN_HINT {
            values.push("…".into());
        }
        let values = match &values[..] {
            [] => format!("no row has a value of {}", excerpt(first)),
            values => format!("values of {}: {}", excerpt(first), values.join(", ")),
        };
        let conditions = conditions.join(" and ");
        match self.rows {
            1 => format!("the only row does not have {conditions}; {values}"),
            rows => format!("none of the {rows} rows has {conditions}; {values}"),
        }
    }
}

/// The number of a column in a header.
///
/// # Errors
/// A message that names the columns, and the one that was probably meant.
pub fn find_column<T: AsRef<str>>(header: &[T], column: &str) -> Result<usize, String> {
    let names: Vec<&str> = header.iter().map(AsRef::as_ref).collect();
    names
        .iter()
        .position(|&name| name == column)
        .ok_or_else(|| {
            let hint = suggest(column, &names)
                .map(|name| format!(" (did you mean `{}`?)", excerpt(name)))
                .unwrap_or_default();
            let names = excerpt(&names.join(", "));
            format!(
                "no column `{}`{hint}; the columns are {names}",
                excerpt(column)
            )
        })
}
