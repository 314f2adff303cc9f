//! The headers of the audio files of a corpus, and their sample rates.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use thiserror::Error;

use crate::audio::{self, AudioError, AudioInfo};
use crate::front_end::FrontEnd;
use crate::layouts::Source;

/// The headers of all audio files of a corpus.
#[derive(Debug)]
pub struct Headers {
    files: HashMap<PathBuf, AudioInfo>,
    /// The first file whose header cannot be read, in the order of the corpus.
    unreadable: Option<AudioError>,
    rates: Vec<RateCount>,
}

/// A sample rate and the files that have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateCount {
    /// Sample rate in Hz.
    pub hz: u32,
    /// Number of files with this rate.
    pub files: usize,
    /// The first of them.
    pub example: PathBuf,
}

/// Audio whose sample rate is not that of the front end.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RateError {
    /// All files have the same rate, but the front end expects another.
    #[error(
        "{}: sample rate {}, but the front end expects {}: pass --resample, or a front end with sample-rate = {}",
        .found.example.display(), kilohertz(.found.hz), kilohertz(*.expected), .found.hz
    )]
    Other {
        /// The rate of the files.
        found: RateCount,
        /// The rate of the front end.
        expected: u32,
    },
    /// The files have different rates.
    #[error(
        "the audio has several sample rates: {}; the front end expects {}: pass --resample to convert all files to this rate",
        listed(.found), kilohertz(*.expected)
    )]
    Mixed {
        /// The rates of the files, the lowest first.
        found: Vec<RateCount>,
        /// The rate of the front end.
        expected: u32,
    },
}

impl Headers {
    /// Reads the headers of all files, on all cores. [`Headers::complete`] refuses files that cannot be read.
    pub fn read(sources: &[Source]) -> Self {
        let mut seen = BTreeSet::new();
        let files: Vec<&Path> = sources
            .iter()
            .map(|source| source.audio.as_path())
            .filter(|file| seen.insert(*file))
            .collect();
        let probed: Vec<_> = files.par_iter().map(audio::probe).collect();
        let mut headers = Headers {
            files: HashMap::new(),
            unreadable: None,
            rates: Vec::new(),
        };
        let mut rates = BTreeMap::new();
        for (file, info) in files.into_iter().zip(probed) {
            match info {
                Ok(info) => {
                    let rate = rates.entry(info.rate).or_insert_with(|| RateCount {
                        hz: info.rate,
                        files: 0,
                        example: file.to_path_buf(),
                    });
                    rate.files += 1;
                    headers.files.insert(file.to_path_buf(), info);
                }
                Err(error) => {
                    headers.unreadable.get_or_insert(error);
                }
            }
        }
        headers.rates = rates.into_values().collect();
        headers
    }

    /// Returns the error of the first file whose header cannot be read, if there is one.
    pub fn complete(mut self) -> Result<Self, AudioError> {
        match self.unreadable.take() {
            None => Ok(self),
            Some(error) => Err(error),
        }
    }

    /// The header of an utterance's file, if it can be read.
    pub fn of(&self, source: &Source) -> Option<AudioInfo> {
        self.files.get(&source.audio).copied()
    }

    /// The sample rates of the files, the lowest first.
    pub fn rates(&self) -> &[RateCount] {
        &self.rates
    }

    /// Checks that all files have the sample rate of the front end.
    pub fn check_rates(&self, front_end: &FrontEnd) -> Result<(), RateError> {
        let expected = front_end.sample_rate();
        match self.rates.as_slice() {
            [] => Ok(()),
            [only] if only.hz == expected => Ok(()),
            [only] => Err(RateError::Other {
                found: only.clone(),
                expected,
            }),
            several => Err(RateError::Mixed {
                found: several.to_vec(),
                expected,
            }),
        }
    }
}

/// A sample rate as text, for example 22.05 kHz.
pub fn kilohertz(hz: u32) -> String {
    format!("{} kHz", f64::from(hz) / 1000.0)
}

fn listed(rates: &[RateCount]) -> String {
    let rate = |rate: &RateCount| {
        let files = if rate.files == 1 { "file" } else { "files" };
        let (hz, example) = (kilohertz(rate.hz), rate.example.display());
        format!("{hz} ({} {files}, for example {example})", rate.files)
    };
    rates.iter().map(rate).collect::<Vec<_>>().join(", ")
}
