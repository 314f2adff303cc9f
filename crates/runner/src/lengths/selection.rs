//! Which lengths to read from a file, and how to convert them into frames.

use padwise_features::layouts::{RowFilter, find_column};
use padwise_sampler::excerpt::excerpt;
use padwise_sampler::suggestion::suggest;

use super::LengthsError;
use super::frame_counter::FrameCounter;

/// The columns with lengths in frames and in seconds.
const FRAMES: &str = "frames";
const SECONDS: [&str; 2] = ["duration", "seconds"];

/// The sampler's limit.
const MOST_FRAMES: f64 = i32::MAX as f64;

/// What a length counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Frames,
    Seconds,
}

/// A column with lengths.
#[derive(Clone, Copy, Debug)]
pub(super) struct LengthColumn {
    pub index: usize,
    pub unit: Unit,
}

/// Whether to read ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdsWanted<'a> {
    No,
    /// From this column, or from one that the file suggests.
    Yes(Option<&'a str>),
}

/// Which lengths to read from a file.
pub(super) struct Selection<'a> {
    pub column: Option<&'a str>,
    pub filters: Vec<RowFilter>,
    /// Whether an option says that lengths are in seconds.
    pub in_seconds: bool,
    pub counter: FrameCounter,
    pub ids: IdsWanted<'a>,
}

impl<'a> Selection<'a> {
    pub fn new(
        column: Option<&'a str>,
        filters: &[String],
        in_seconds: bool,
        counter: FrameCounter,
        ids: IdsWanted<'a>,
    ) -> Result<Self, LengthsError> {
        Ok(Selection {
            column,
            filters: RowFilter::parse_all(filters)?,
            in_seconds,
            counter,
            ids,
        })
    }

    /// The option that names a column, if there is one.
    pub fn option(&self) -> Option<&'static str> {
        if self.column.is_some() {
            Some("--column")
        } else if !self.filters.is_empty() {
            Some("--where")
        } else if matches!(self.ids, IdsWanted::Yes(Some(_))) {
            Some("--id-column")
        } else {
            None
        }
    }

    /// The unit of numbers without a column.
    pub fn unit(&self) -> Unit {
        if self.in_seconds {
            Unit::Seconds
        } else {
            Unit::Frames
        }
    }

    /// The column to read. Frames are preferred, unless an option says that lengths are in seconds.
    pub fn find(&self, names: &[&str]) -> Result<LengthColumn, String> {
        let place = |name: &&str| names.iter().position(|other| other == name);
        let [duration, seconds] = SECONDS;
        let defaults: &[&str] = if self.in_seconds {
            &[duration, seconds]
        } else {
            &[FRAMES, duration, seconds]
        };
        let index = match (self.column, names) {
            (Some(column), _) => find_column(names, column)?,
            (None, [_]) => 0,
            (None, _) => match defaults.iter().find_map(place) {
                Some(index) => index,
                None => return Err(missing(defaults, names)),
            },
        };
        let name = names[index];
        if self.in_seconds && name == FRAMES {
            return Err(format!(
                "the column `{FRAMES}` is not in seconds: remove --hop and --features"
            ));
        }
        let unit = if SECONDS.contains(&name) {
            Unit::Seconds
        } else {
            self.unit()
        };
        Ok(LengthColumn { index, unit })
    }

    /// The number of frames; `None` if the utterance is too short for one.
    pub fn frames(&self, text: &str, unit: Unit) -> Result<Option<u32>, String> {
        if let (Unit::Frames, Ok(frames @ 1..=0x7fff_ffff)) = (unit, text.parse::<u32>()) {
            return Ok(Some(frames));
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
        let frames = match unit {
            Unit::Seconds => self.counter.frames(value),
            Unit::Frames if value == 0.0 => {
                let shown = excerpt(text);
                return Err(format!(
                    "the length is {shown}: an utterance has at least one frame"
                ));
            }
            Unit::Frames if value.fract() == 0.0 => value,
            Unit::Frames => {
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
        Ok((frames > 0.0).then_some(frames as u32))
    }
}

/// The message for a file without any of the default columns.
fn missing(defaults: &[&str], names: &[&str]) -> String {
    let hint = defaults
        .iter()
        .find_map(|column| suggest(column, names))
        .map(|name| format!(" (did you mean `{}`?)", excerpt(name)));
    let hint = hint.unwrap_or_default();
    let defaults = match defaults.split_last() {
        Some((last, others)) => format!("`{}` or `{last}`", others.join("`, `")),
        None => String::new(),
    };
    let names = excerpt(&names.join(", "));
    format!(
        "no column {defaults}{hint}; the columns are {names}: name one with --column, or run `padwise prepare` and analyze the pack"
    )
}
