//! From the first bytes of a file to a reader of its packets.
//!
//! The format is told by the bytes, not by the file's name. Nothing is searched for further in: a text that happens
//! to contain `RIFF` somewhere is not a recording.

use std::io::{ErrorKind, Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};

use symphonia::core::codecs::CodecParameters;
use symphonia::core::codecs::audio::AudioCodecParameters;
use symphonia::core::errors::Error;
use symphonia::core::formats::{FormatOptions, FormatReader};
use symphonia::core::io::{MediaSource, MediaSourceStream};
use symphonia::default::formats::{FlacReader, WavReader};

use super::error::AudioError;
use super::types::{AudioInfo, RATES};

/// An open file, with what its header says.
pub(super) struct Container<'a> {
    pub reader: Box<dyn FormatReader + 'a>,
    pub codec: AudioCodecParameters,
    pub info: AudioInfo,
}

pub(super) fn open<'a>(
    mut source: Box<dyn MediaSource + 'a>,
    file: &str,
) -> Result<Container<'a>, AudioError> {
    let mut magic = Vec::with_capacity(12);
    let read = source.by_ref().take(12).read_to_end(&mut magic);
    read.and_then(|_| source.rewind())
        .map_err(AudioError::read(file))?;

    let stream = MediaSourceStream::new(source, Default::default());
    let options = FormatOptions::default();
    let reader: Box<dyn FormatReader + 'a> = if magic.starts_with(b"fLaC") {
        Box::new(FlacReader::try_new(stream, options).map_err(|e| malformed(file, e))?)
    } else if magic.starts_with(b"RIFF") && magic.ends_with(b"WAVE") {
        Box::new(WavReader::try_new(stream, options).map_err(|e| malformed(file, e))?)
    } else {
        let problem = format!(
            "is neither WAV nor FLAC: it begins with \"{}\"; convert it, for instance with `sox` or `ffmpeg`",
            magic.escape_ascii()
        );
        return Err(AudioError::undecodable(file, problem));
    };

    let header = |what: &str| {
        let why = "which no recording has; the file is damaged";
        AudioError::impossible(file, format!("its header says {what}, {why}"))
    };
    let track = reader.tracks().first();
    let track = track.ok_or_else(|| header("there is no sound in it"))?;
    let Some(CodecParameters::Audio(codec)) = track.codec_params.clone() else {
        return Err(header("its track is not sound"));
    };
    let rate = codec.sample_rate.unwrap_or(0);
    if !RATES.contains(&rate) {
        return Err(header(&format!("a rate of {rate} Hz")));
    }
    let channels = codec.channels.as_ref().map_or(0, |c| c.count());
    if channels == 0 {
        return Err(header("0 channels"));
    }
    let info = AudioInfo {
        samples: track.num_frames,
        rate,
        channels,
    };
    Ok(Container {
        reader,
        codec,
        info,
    })
}

/// Turns a panic of the decoder into an error.
///
/// The decoder checks its input well but not in every corner: in builds that check for overflow, it panics on some
/// damaged headers and frames. One bad file must not end the preparation of a corpus.
pub(super) fn catch_panics<T>(
    file: &str,
    read: impl FnOnce() -> Result<T, AudioError>,
) -> Result<T, AudioError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        let reason = "the decoder failed on its contents; fetch or make it again";
        Err(undecodable(file, reason))
    })
}

fn undecodable(file: &str, reason: &str) -> AudioError {
    AudioError::undecodable(file, format!("cannot be decoded: {reason}"))
}

/// The decoder's words, less the ones that say nothing.
pub(super) fn malformed(file: &str, error: Error) -> AudioError {
    match error {
        Error::IoError(e) if e.kind() == ErrorKind::UnexpectedEof => {
            undecodable(file, "it ends inside its header")
        }
        // Other is the decoder's own kind, for bits that run out within a frame.
        Error::IoError(e) if e.kind() != ErrorKind::Other => AudioError::read(file)(e),
        Error::IoError(e) => undecodable(file, &e.to_string()),
        other => undecodable(file, &other.to_string()),
    }
}
