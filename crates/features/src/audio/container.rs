//! From the first bytes of a file to a reader of its packets.
//!
//! The format is told by the bytes, not by the file's name. Nothing is searched for further in: a text that happens
//! to contain `RIFF` somewhere is not a recording.

use std::io::{Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};

use symphonia::core::codecs::CodecParameters;
use symphonia::core::codecs::audio::AudioCodecParameters;
use symphonia::core::errors::Error;
use symphonia::core::formats::{FormatOptions, FormatReader};
use symphonia::core::io::{MediaSource, MediaSourceStream};
use symphonia::default::formats::{FlacReader, WavReader};

use super::{AudioError, AudioInfo, RATES};

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
    let read = |source| AudioError::Read {
        file: file.into(),
        source,
    };
    let mut magic = Vec::with_capacity(12);
    source
        .by_ref()
        .take(12)
        .read_to_end(&mut magic)
        .map_err(read)?;
    source.seek(SeekFrom::Start(0)).map_err(read)?;

    let stream = MediaSourceStream::new(source, Default::default());
    let options = FormatOptions::default();
    let reader: Box<dyn FormatReader + 'a> = if magic.starts_with(b"fLaC") {
        Box::new(FlacReader::try_new(stream, options).map_err(|e| malformed(file, e))?)
    } else if magic.starts_with(b"RIFF") && magic.ends_with(b"WAVE") {
        Box::new(WavReader::try_new(stream, options).map_err(|e| malformed(file, e))?)
    } else {
        return Err(AudioError::Format {
            file: file.into(),
            begins: format!("\"{}\"", magic.escape_ascii()),
        });
    };

    let header = |what: String| AudioError::Header {
        file: file.into(),
        what,
    };
    let track = reader
        .tracks()
        .first()
        .ok_or_else(|| header("there is no sound in it".into()))?;
    let Some(CodecParameters::Audio(codec)) = track.codec_params.clone() else {
        return Err(header("its track is not sound".into()));
    };
    let rate = codec.sample_rate.unwrap_or(0);
    if !RATES.contains(&rate) {
        return Err(header(format!("a rate of {rate} Hz")));
    }
    let channels = codec.channels.as_ref().map_or(0, |c| c.count());
    if channels == 0 {
        return Err(header("0 channels".into()));
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
pub(super) fn guarded<T>(
    file: &str,
    read: impl FnOnce() -> Result<T, AudioError>,
) -> Result<T, AudioError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        Err(AudioError::Malformed {
            file: file.into(),
            reason: "the decoder failed on its contents; fetch or make it again".into(),
        })
    })
}

/// The decoder's words, less the ones that say nothing.
pub(super) fn malformed(file: &str, error: Error) -> AudioError {
    let reason = match error {
        Error::IoError(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => {
            "it ends inside its header".into()
        }
        // The decoder's own kind, for bits that run out within a frame.
        Error::IoError(e) if e.kind() == std::io::ErrorKind::Other => e.to_string(),
        Error::IoError(source) => {
            return AudioError::Read {
                file: file.into(),
                source,
            };
        }
        other => other.to_string(),
    };
    AudioError::Malformed {
        file: file.into(),
        reason,
    }
}
