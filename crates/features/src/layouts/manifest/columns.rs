//! The columns of a manifest: which names are known, and which are ignored.

use std::collections::BTreeSet;

use padwise_sampler::excerpt::excerpt;
use padwise_sampler::suggestion::suggest;

use crate::layouts::row_filter::RowFilter;

/// What a column contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Id,
    Audio,
    Labels,
    Text,
    Speaker,
    Start,
    Duration,
}

/// Number of columns with a meaning.
pub(super) const COLUMNS: usize = 7;

/// The names of the column with the files.
pub(super) const AUDIO_NAMES: &str = "`path`, `audio_filepath`, `audio` or `wav`";

/// Known names. Several names of the same column are synonyms.
const NAMES: [(&str, Column); 12] = [
    ("id", Column::Id),
    ("path", Column::Audio),
    ("audio_filepath", Column::Audio),
    ("audio", Column::Audio),
    ("wav", Column::Audio),
    ("labels", Column::Labels),
    ("text", Column::Text),
    ("speaker", Column::Speaker),
    ("offset", Column::Start),
    ("start", Column::Start),
    ("duration", Column::Duration),
    ("seconds", Column::Duration),
];

/// A column that only `padwise analyze` uses.
const FRAMES: &str = "frames";

/// Number of names to remember, and to list in a note. A damaged file can have any number.
const MOST_NAMES: usize = 256;
const NAMES_IN_NOTE: usize = 8;

/// The columns of one manifest.
pub(super) struct Columns<'a> {
    filters: &'a [RowFilter],
    known: [Option<&'static str>; COLUMNS],
    unknown: BTreeSet<String>,
    /// Cuts whose supervisions have different speakers.
    pub several_speakers: u64,
    /// Cuts of one channel of a file with several.
    pub channels: u64,
}

impl<'a> Columns<'a> {
    pub fn new(filters: &'a [RowFilter]) -> Self {
        Columns {
            filters,
            known: [None; COLUMNS],
            unknown: BTreeSet::new(),
            several_speakers: 0,
            channels: 0,
        }
    }

    /// The meaning of a column, `None` if it is ignored. A second name of the same column is an error.
    pub fn add(&mut self, name: &str) -> Result<Option<Column>, String> {
        let Some(&(name, column)) = NAMES.iter().find(|(known, _)| *known == name) else {
            if !self.unknown.contains(name) && self.unknown.len() < MOST_NAMES {
                self.unknown.insert(name.to_string());
            }
            return Ok(None);
        };
        match self.known[column as usize].replace(name) {
            Some(other) if other != name => Err(format!(
                "`{name}` and `{other}` mean the same: keep one of them"
            )),
            _ => Ok(Some(column)),
        }
    }

    pub fn has(&self, column: Column) -> bool {
        self.known[column as usize].is_some()
    }

    /// All names seen so far.
    pub fn names(&self) -> Vec<&str> {
        let known = self.known.iter().flatten().copied();
        known
            .chain(self.unknown.iter().map(String::as_str))
            .collect()
    }

    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.ignored().into_iter().collect();
        if self.several_speakers > 0 {
            let cuts = self.several_speakers;
            notes.push(format!(
                "{cuts} cuts have several speakers: their speaker is left empty"
            ));
        }
        if self.channels > 0 {
            let cuts = self.channels;
            notes.push(format!(
                "{cuts} cuts select a channel, which is ignored: select it with --channel N"
            ));
        }
        notes
    }

    fn ignored(&self) -> Option<String> {
        let is_used =
            |name: &str| name == FRAMES || self.filters.iter().any(|filter| filter.column == name);
        let missing: Vec<&str> = NAMES
            .iter()
            .filter(|(_, column)| !self.has(*column))
            .map(|(name, _)| *name)
            .collect();
        let ignored: Vec<&String> = self.unknown.iter().filter(|name| !is_used(name)).collect();
        let mut shown: Vec<String> = ignored
            .iter()
            .take(NAMES_IN_NOTE)
            .map(|name| match suggest(name, &missing) {
                Some(known) => format!("{} (did you mean `{known}`?)", excerpt(name)),
                None => excerpt(name),
            })
            .collect();
        if ignored.len() > NAMES_IN_NOTE {
            shown.push("…".into());
        }
        let plural = if ignored.len() == 1 { "" } else { "s" };
        (!shown.is_empty()).then(|| format!("ignored column{plural}: {}", shown.join(", ")))
    }
}
