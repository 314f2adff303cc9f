//! Opens WAV and FLAC containers.
//!
//! The format is detected from the first bytes, not from the file name. Magic numbers further into the file are ignored:
//! a text that contains `RIFF` somewhere is not a recording.

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

/// More than any recorder has. The decoder needs memory for every channel.
const MOST_CHANNELS: usize = 256;

/// An open file and the contents of its header.
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
            "not a WAV or FLAC file, starts with \"{}\": convert it, for example with `sox` or `ffmpeg`",
            magic.escape_ascii()
        );
        return Err(AudioError::undecodable(file, problem));
    };

    let header = |what: &str| {
        AudioError::impossible(file, format!("damaged header: {what}; replace the file"))
    };
    let track = reader.tracks().first();
    let track = track.ok_or_else(|| header("no audio track"))?;
    let Some(CodecParameters::Audio(codec)) = track.codec_params.clone() else {
        return Err(header("the track is not audio"));
    };
    let rate = codec.sample_rate.unwrap_or(0);
    if !RATES.contains(&rate) {
        return Err(header(&format!("sample rate {rate} Hz")));
    }
    let channels = codec.channels.as_ref().map_or(0, |c| c.count());
    if !(1..=MOST_CHANNELS).contains(&channels) {
        return Err(header(&format!("{channels} channels")));
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

/// Converts a panic of the decoder into an error.
///
/// In builds with overflow checks, the decoder panics on some damaged headers and frames. One bad file must not stop the
/// preparation of a corpus.
pub(super) fn catch_panics<T>(
    file: &str,
    read: impl FnOnce() -> Result<T, AudioError>,
) -> Result<T, AudioError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        let reason = "the decoder panicked; replace the file";
        Err(undecodable(file, reason))
    })
}

fn undecodable(file: &str, reason: &str) -> AudioError {
    AudioError::undecodable(file, format!("cannot decode: {reason}"))
}

/// Converts an error of the decoder, dropping its uninformative parts.
pub(super) fn malformed(file: &str, error: Error) -> AudioError {
    match error {
        Error::IoError(e) if e.kind() == ErrorKind::UnexpectedEof => {
            undecodable(file, "the file ends within its header")
        }
        // The decoder uses `Other` if a frame ends too early.
        Error::IoError(e) if e.kind() != ErrorKind::Other => AudioError::read(file)(e),
        Error::IoError(e) => undecodable(file, &e.to_string()),
        other => undecodable(file, &other.to_string()),
    }
}
