//! Which column of a file has the ids, and the ids read from it so far.

use padwise_features::layouts::find_column;
use padwise_sampler::excerpt::excerpt;

use super::LengthsError;
use super::ids::{IdText, Ids};

/// Columns with ids. A value that occurs twice is an error.
const IDS: [&str; 3] = ["id", "utt", "utt_id"];
/// Columns with paths. Two utterances may be parts of one file, so a path need not be unique.
const PATHS: [&str; 2] = ["audio_filepath", "path"];

/// Where ids come from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// A column that the user named, or one of [`IDS`].
    Column(String),
    /// Another column. Its values are the ids if all are different.
    Guess(String),
    /// The numbers of the rows.
    Rows,
}

/// The ids read from a file so far.
#[derive(Debug)]
pub(super) struct IdReading {
    source: Source,
    text: IdText,
    rows: Vec<u32>,
}

impl IdReading {
    /// The numbers of rows as ids.
    pub fn rows() -> Self {
        IdReading {
            source: Source::Rows,
            text: IdText::default(),
            rows: Vec::new(),
        }
    }

    /// Chooses the column: `wanted`, or the first of the known names, or the first other column with text. `is_text` says
    /// whether the first row has text in a column. `length` is the column with the lengths.
    pub fn choose(
        wanted: Option<&str>,
        names: &[&str],
        length: usize,
        is_text: impl Fn(usize) -> bool,
    ) -> Result<Self, String> {
        let known = |list: &[&'static str]| list.iter().find(|name| names.contains(name)).copied();
        let first_text = || (0..names.len()).find(|&at| at != length && is_text(at));
        let source = if let Some(wanted) = wanted {
            let problem = |problem| format!("--id-column {}: {problem}", excerpt(wanted));
            let at = find_column(names, wanted).map_err(problem)?;
            Source::Column(names[at].into())
        } else if let Some(name) = known(&IDS) {
            Source::Column(name.into())
        } else if let Some(name) = known(&PATHS) {
            Source::Guess(name.into())
        } else if let Some(at) = first_text() {
            Source::Guess(names[at].into())
        } else {
            Source::Rows
        };
        Ok(IdReading {
            source,
            ..IdReading::rows()
        })
    }

    /// The column with the ids.
    pub fn column(&self) -> Option<&str> {
        match &self.source {
            Source::Column(name) | Source::Guess(name) => Some(name),
            Source::Rows => None,
        }
    }

    /// Adds the id of an utterance. `row` is the number of its row, from 0, and `id` its value in the column.
    pub fn add(&mut self, row: u64, id: Option<&[u8]>) -> Result<(), String> {
        self.rows.push(u32::try_from(row).unwrap_or(u32::MAX));
        if self.source == Source::Rows {
            return Ok(());
        }
        let added = match id.map(std::str::from_utf8) {
            Some(Ok(id)) => self.text.push(id),
            Some(Err(_)) => Err("the id is not UTF-8".into()),
            None => Err("there is no id".into()),
        };
        let (Err(problem), source) = (added, &self.source) else {
            return Ok(());
        };
        if let Source::Column(column) = source {
            return Err(format!(
                "column `{}`: {problem}; correct it, or name another column with --id-column",
                excerpt(column)
            ));
        }
        // Such values cannot be the ids, so the numbers of the rows are.
        self.source = Source::Rows;
        self.text = IdText::default();
        Ok(())
    }

    /// The ids, and a note for the user on where they come from, if that is not obvious.
    pub fn finish(self, file: &str) -> Result<(Ids, Option<String>), LengthsError> {
        let IdReading { source, text, rows } = self;
        let duplicate = text.duplicate().map(excerpt);
        Ok(match (source, duplicate) {
            (Source::Rows, _) => {
                let note = "no column has ids, so rows are numbered from 0; --id-column names one";
                (Ids::Rows(rows), Some(note.into()))
            }
            (Source::Column(column), Some(id)) => {
                let problem = format!(
                    ": the id `{id}` occurs twice in column `{}`: make ids unique, or name another column with --id-column",
                    excerpt(&column)
                );
                return Err(LengthsError::file(file, problem));
            }
            (Source::Guess(column), Some(id)) => {
                let note = format!(
                    "`{id}` occurs twice in column `{}`, so rows are numbered from 0 instead; --id-column names a column with ids",
                    excerpt(&column)
                );
                (Ids::Rows(rows), Some(note))
            }
            (Source::Column(_), None) => (Ids::Text(text), None),
            (Source::Guess(column), None) => {
                let note = format!(
                    "ids are from column `{}`; --id-column names another",
                    excerpt(&column)
                );
                (Ids::Text(text), Some(note))
            }
        })
    }
}

/// Whether a value is text rather than a number.
pub(super) fn is_text(value: &str) -> bool {
    let value = value.trim();
    !value.is_empty() && value.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(names: &[&str], wanted: Option<&str>) -> Option<String> {
        let length = names.len() - 1;
        let chosen = IdReading::choose(wanted, names, length, |at| names[at].starts_with("text"));
        chosen.expect("a column").column().map(String::from)
    }

    #[test]
    fn known_names_come_before_paths_and_paths_before_other_text() {
        let chosen = |names: &[&str]| column(names, None).unwrap_or_default();
        assert_eq!(chosen(&["path", "utt_id", "utt", "frames"]), "utt");
        assert_eq!(chosen(&["text", "path", "id", "frames"]), "id");
        assert_eq!(
            chosen(&["path", "audio_filepath", "frames"]),
            "audio_filepath"
        );
        assert_eq!(chosen(&["n", "text1", "text2", "frames"]), "text1");
        assert_eq!(chosen(&["n", "text"]), "", "the column with the lengths");
        assert_eq!(column(&["id", "n", "frames"], Some("n")), Some("n".into()));
    }

    #[test]
    fn a_guess_that_cannot_be_an_id_is_given_up() {
        let guess = || IdReading::choose(None, &["text", "frames"], 1, |_| true).expect("a column");
        for (second, expected) in [
            (Some("b"), "b"),
            (Some("a"), "4"),
            (Some(""), "4"),
            (None, "4"),
        ] {
            let mut ids = guess();
            ids.add(0, Some(b"a")).expect("an id");
            ids.add(4, second.map(str::as_bytes)).expect("a guess");
            let (ids, note) = ids.finish("a.csv").expect("ids");
            assert_eq!(ids.get(1), expected, "{second:?}");
            assert!(note.is_some());
        }
    }
}
