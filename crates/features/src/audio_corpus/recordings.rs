//! Cuts segments from audio files.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use padwise_sampler::excerpt::excerpt;

use crate::audio::{self, DecodeOptions, Waveform};
use crate::corpus::CorpusError;
use crate::files::FileError;
use crate::front_end::Extractor;
use crate::layouts::Source;
use crate::matrix::Matrix;

/// A file, empty until the first thread has decoded it.
type Recording = Arc<Mutex<Option<Arc<Waveform>>>>;

/// Number of recordings to keep. Threads work on different segments, and so on different files.
const KEPT: usize = 8;

/// The files that segments were cut from last. Segments of a file usually follow each other, so it is decoded only once.
#[derive(Default)]
pub(super) struct Recordings {
    /// The most recently used last.
    recent: Mutex<Vec<(PathBuf, Recording)>>,
}

impl Recordings {
    /// Computes the features of a segment.
    pub fn extract(
        &self,
        source: &Source,
        options: &DecodeOptions,
        extractor: &mut Extractor,
    ) -> Result<Matrix, CorpusError> {
        let waveform = self.decoded(source, options)?;
        let Waveform { samples, rate } = waveform.as_ref();
        let segment = samples_of(source, samples.len() as u64, *rate)?;
        // Both ends are at most the number of samples.
        let segment = &samples[segment.start as usize..segment.end as usize];
        extractor
            .extract_samples(segment, *rate)
            .map_err(|error| FileError::content(&source.audio, error.to_string()).into())
    }

    /// The entry of a file, new or kept.
    fn of(&self, audio: &Path) -> Recording {
        let mut recent = locked(&self.recent);
        let known = recent.iter().position(|(path, _)| path == audio);
        let entry = match known {
            Some(at) => recent.remove(at),
            None => (audio.to_path_buf(), Recording::default()),
        };
        let recording = Arc::clone(&entry.1);
        if recent.len() == KEPT {
            recent.remove(0);
        }
        recent.push(entry);
        recording
    }

    fn decoded(
        &self,
        source: &Source,
        options: &DecodeOptions,
    ) -> Result<Arc<Waveform>, CorpusError> {
        let recording = self.of(&source.audio);
        // Other threads that need the same file wait here.
        let mut recording = locked(&recording);
        if let Some(waveform) = recording.as_ref() {
            return Ok(Arc::clone(waveform));
        }
        let waveform = audio::decode(&source.audio, options).map_err(CorpusError::other)?;
        Ok(Arc::clone(recording.insert(Arc::new(waveform))))
    }
}

/// The samples of a source in audio of `total` samples at `rate` Hz.
pub(super) fn samples_of(source: &Source, total: u64, rate: u32) -> Result<Range<u64>, FileError> {
    let Some(segment) = &source.segment else {
        return Ok(0..total);
    };
    segment.samples(total, rate).map_err(|reason| {
        let reason = format!("utterance {}: {reason}", excerpt(&source.id));
        FileError::content(&source.audio, reason)
    })
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
