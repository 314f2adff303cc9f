//! Utterance lengths from a CSV file, a manifest, a list of numbers, standard input, a feature pack or a built-in profile.

mod error;
mod frame_counter;
mod id_column;
mod ids;
mod json;
mod lines;
mod read;
mod reading;
mod selection;
mod table;

use std::path::{Path, PathBuf};

use clap::Args;
use padwise_features::Corpus;
use padwise_features::pack::Pack;
use padwise_sampler::Profile;
use padwise_sampler::excerpt::excerpt;

use crate::machine::demand::require_host;
pub use error::LengthsError;
use frame_counter::FrameCounter;
pub use frame_counter::NamedFrontEnd;
pub use ids::{IdText, Ids};
use read::read;
use selection::{IdsWanted, Selection};

/// Memory of an utterance during planning: its length, and its place in two epochs and in their statistics.
const UTTERANCE_BYTES: u64 = 64;

/// The options that select utterance lengths.
#[derive(Clone, Debug, Args)]
pub struct LengthArgs {
    /// Utterance lengths: CSV, JSON lines, one number per line, or a feature pack; - is standard input
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Column with the lengths [default: frames, duration, seconds, or the only column]
    #[arg(
        long,
        value_name = "NAME",
        requires = "file",
        conflicts_with = "profile"
    )]
    pub column: Option<String>,

    /// Use only rows whose column has this value (repeatable)
    #[arg(
        long = "where",
        value_name = "COLUMN=VALUE",
        requires = "file",
        conflicts_with = "profile"
    )]
    pub filters: Vec<String>,

    /// Convert lengths from seconds to frames of this front end [default: kaldi-mfcc16]
    ///
    /// Only columns `duration` and `seconds` are in seconds by default. With this option or --hop, every column is.
    #[arg(
        long,
        value_name = "PRESET|FILE.toml",
        requires = "file", conflicts_with = "profile",
        value_parser = NamedFrontEnd::read
    )]
    pub features: Option<NamedFrontEnd>,

    /// Convert lengths from seconds, with this frame shift in milliseconds [default: the front end's]
    #[arg(
        long,
        value_name = "MS",
        requires = "file",
        conflicts_with = "profile",
        allow_negative_numbers = true
    )]
    pub hop: Option<f64>,

    /// Use the length distribution of a known corpus: ljspeech, chime4 or librispeech
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    pub profile: Option<Profile>,

    /// Number of utterances to draw from the profile [default: the size of the corpus]
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "file",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX))
    )]
    pub utterances: Option<u32>,
}

/// Utterance lengths with their source.
#[derive(Clone, Debug)]
pub struct Lengths {
    /// Number of frames of each utterance.
    pub frames: Vec<u32>,
    /// Their ids; positions unless [`LengthArgs::load_with_ids`] read others.
    pub ids: Ids,
    /// The source, for captions of tables and figures.
    pub source: String,
    /// What the user should know, one line each.
    pub notes: Vec<String>,
}

impl LengthArgs {
    /// Loads the lengths. Uses the profile `default` if neither a file nor a profile is given.
    pub fn load(&self, default: Option<Profile>) -> Result<Lengths, LengthsError> {
        self.load_from(default, IdsWanted::No)
    }

    /// Loads the lengths with the ids of utterances, from this column or from one that the file suggests.
    pub fn load_with_ids(&self, id_column: Option<&str>) -> Result<Lengths, LengthsError> {
        self.load_from(None, IdsWanted::Yes(id_column))
    }

    fn load_from(&self, default: Option<Profile>, ids: IdsWanted) -> Result<Lengths, LengthsError> {
        if let Some(file) = &self.file {
            return self.read(file, ids);
        }
        let profile = self.profile.or(default).ok_or(LengthsError::NoSource)?;
        let utterances = self.utterances.map_or(profile.sequences(), |n| n as usize);
        require_host(
            format!("--utterances {utterances}"),
            (utterances as u64).saturating_mul(UTTERANCE_BYTES),
        )?;
        Ok(Lengths {
            frames: profile.lengths(utterances),
            ids: Ids::Positions,
            source: format!("profile of {}", profile.description()),
            notes: Vec::new(),
        })
    }

    fn read(&self, file: &Path, ids: IdsWanted) -> Result<Lengths, LengthsError> {
        let counter = FrameCounter::new(self.features.as_ref(), self.hop)?;
        let in_seconds = self.hop.is_some() || self.features.is_some();
        let selection = Selection::new(
            self.column.as_deref(),
            &self.filters,
            in_seconds,
            counter,
            ids,
        )?;
        let name = match file.file_name() {
            Some(name) if file.as_os_str() != "-" => name.to_string_lossy(),
            _ => "standard input".into(),
        };
        if file
            .extension()
            .is_some_and(|extension| extension == "pack")
        {
            let (frames, ids) = of_pack(file, &selection)?;
            return Ok(Lengths {
                frames,
                ids,
                source: name.into_owned(),
                notes: Vec::new(),
            });
        }
        let mut reading = read(file, &selection)?;
        let (ids, note) = reading.take_ids(&file_name(file))?;
        let conditions: Vec<String> = self.filters.iter().map(|f| format!(", {f}")).collect();
        Ok(Lengths {
            source: name.into_owned() + &reading.caption(&selection) + &conditions.concat(),
            notes: reading.notes(&selection).into_iter().chain(note).collect(),
            frames: reading.frames,
            ids,
        })
    }
}

/// The lengths of the utterances in a pack, and their ids if they are wanted.
fn of_pack(file: &Path, selection: &Selection) -> Result<(Vec<u32>, Ids), LengthsError> {
    if selection.in_seconds {
        let problem = " is a feature pack, whose lengths are frames: remove --hop and --features";
        return Err(LengthsError::file(file.display().to_string(), problem));
    }
    if let Some(option) = selection.option() {
        let problem = format!(" is a feature pack and has no columns: remove {option}");
        return Err(LengthsError::file(file.display().to_string(), problem));
    }
    let pack = Pack::open(file)?;
    let lengths = pack.lengths().to_vec();
    if selection.ids == IdsWanted::No {
        return Ok((lengths, Ids::Positions));
    }
    let wrong = |problem: String| {
        let problem = format!(": {problem}; run `padwise prepare` again with other ids");
        LengthsError::file(file.display().to_string(), problem)
    };
    let mut ids = IdText::default();
    for utterance in 0..pack.len() {
        ids.push(pack.id(utterance)).map_err(wrong)?;
    }
    match ids.duplicate().map(excerpt) {
        Some(id) => Err(wrong(format!("the id `{id}` occurs twice"))),
        None => Ok((lengths, Ids::Text(ids))),
    }
}

/// The name of an input in messages.
fn file_name(path: &Path) -> String {
    if path.as_os_str() == "-" {
        "standard input".into()
    } else {
        path.display().to_string()
    }
}
