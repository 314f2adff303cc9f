//! Decodes whole files and checks them.

use std::fs::File;
use std::io::{Cursor, ErrorKind};
use std::path::Path;

use symphonia::core::codecs::audio::AudioDecoderOptions;
use symphonia::core::errors::Error;
use symphonia::core::io::MediaSource;

use super::container::{self, catch_panics, malformed};
use super::error::AudioError;
use super::limits;
use super::resample::resample;
use super::types::{AudioInfo, Channel, DecodeOptions, Waveform, first_invalid_sample};
use crate::files::{FileError, open_regular};

/// Decodes a WAV or FLAC file.
///
/// # Errors
/// The file cannot be read, is damaged or truncated, or lacks the requested channel. The message names the file.
pub fn decode(path: impl AsRef<Path>, options: &DecodeOptions) -> Result<Waveform, AudioError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let (file, size) = open(path, &name)?;
    decode_source(Box::new(file), size, &name, options)
}

/// Reads only the header of a WAV or FLAC file.
///
/// # Errors
/// The file cannot be read, is neither WAV nor FLAC, or has an invalid header.
pub fn probe(path: impl AsRef<Path>) -> Result<AudioInfo, AudioError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let (file, _) = open(path, &name)?;
    catch_panics(&name, || Ok(container::open(Box::new(file), &name)?.info))
}

/// Reads only the header, and checks its number of samples as [`decode`] does.
#[cfg(feature = "layouts")]
pub(crate) fn probe_within(path: &Path, options: &DecodeOptions) -> Result<AudioInfo, AudioError> {
    let name = path.display().to_string();
    let info = probe(path)?;
    let (_, size) = open(path, &name)?;
    limits::check(&name, size, info.samples.unwrap_or(0), &info, options)?;
    Ok(info)
}

/// Opens a file, and returns its size.
fn open(path: &Path, name: &str) -> Result<(File, u64), AudioError> {
    let file = open_regular(path).map_err(|error| match error {
        FileError::Io { source, .. } => AudioError::read(name)(source),
        FileError::Content { reason, .. } | FileError::Line { reason, .. } => {
            AudioError::undecodable(name, reason)
        }
    })?;
    let size = file.metadata().map_err(AudioError::read(name))?.len();
    Ok((file, size))
}

/// Decodes a WAV or FLAC file in memory. Errors refer to it as `name`.
///
/// # Errors
/// The same as for [`decode`].
pub fn decode_bytes(
    bytes: &[u8],
    name: &str,
    options: &DecodeOptions,
) -> Result<Waveform, AudioError> {
    let size = bytes.len() as u64;
    decode_source(Box::new(Cursor::new(bytes)), size, name, options)
}

fn decode_source<'a>(
    source: Box<dyn MediaSource + 'a>,
    size: u64,
    name: &str,
    options: &DecodeOptions,
) -> Result<Waveform, AudioError> {
    let waveform = catch_panics(name, || decode_checked(source, size, name, options))?;
    match options.rate {
        Some(rate) => resample(waveform, rate),
        None => Ok(waveform),
    }
}

fn decode_checked<'a>(
    source: Box<dyn MediaSource + 'a>,
    size: u64,
    name: &str,
    options: &DecodeOptions,
) -> Result<Waveform, AudioError> {
    let mut container = container::open(source, name)?;
    let info = container.info;
    limits::check(name, size, info.samples.unwrap_or(0), &info, options)?;
    let refuse = |problem: String| Err(AudioError::undecodable(name, problem));
    if let Channel::Index(channel) = options.channel
        && channel >= info.channels
    {
        let channels = info.channels;
        return refuse(format!(
            "no channel {channel}: the file has {channels} channels, numbered from 0"
        ));
    }
    let verify = AudioDecoderOptions::default().verify(true);
    let mut decoder = symphonia::default::get_codecs()
        .make_audio_decoder(&container.codec, &verify)
        .map_err(|e| malformed(name, e))?;

    let mut samples = Vec::new();
    let mut planes: Vec<Vec<f32>> = Vec::new();
    loop {
        let packet = match container.reader.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => break,
            // The number of samples in the header shows whether the end was expected.
            Err(Error::IoError(e)) if e.kind() == ErrorKind::UnexpectedEof => break,
            Err(e) => return Err(malformed(name, e)),
        };
        decoder
            .decode(&packet)
            .map_err(|e| malformed(name, e))?
            .copy_to_vecs_planar(&mut planes);
        take_channel(&planes, options.channel, &mut samples);
        let decoded = samples.len() as u64;
        match info.samples {
            Some(promised) if decoded > promised => {
                return refuse(format!(
                    "damaged: more samples than the {promised} that the header declares; replace the file"
                ));
            }
            Some(_) => {}
            None => limits::check(name, size, decoded, &info, options)?,
        }
    }

    let decoded = samples.len() as u64;
    if let Some(promised) = info.samples
        && promised != decoded
    {
        return refuse(format!(
            "truncated or damaged: the header declares {promised} samples, but {decoded} were decoded; replace the file"
        ));
    }
    if decoder.finalize().verify_ok == Some(false) {
        return refuse(
            "damaged: the samples do not match the MD5 checksum in the header; replace the file"
                .into(),
        );
    }
    if samples.is_empty() {
        return refuse("no samples: remove the file from the corpus".into());
    }
    if let Some((index, value)) = first_invalid_sample(&samples) {
        let problem = format!(
            "sample {index} is {value}: the file is damaged, samples must be finite with full scale at ±1"
        );
        return Err(AudioError::impossible(name, problem));
    }
    Ok(Waveform {
        samples,
        rate: info.rate,
    })
}

fn take_channel(planes: &[Vec<f32>], channel: Channel, samples: &mut Vec<f32>) {
    match (channel, planes) {
        (Channel::Index(n), planes) => samples.extend(planes.get(n).into_iter().flatten()),
        (Channel::Mix, [only]) => samples.extend(only),
        (Channel::Mix, planes) => {
            let share = 1.0 / planes.len() as f32;
            let frames = planes.iter().map(Vec::len).min().unwrap_or(0);
            samples.extend(
                (0..frames).map(|i| planes.iter().map(|plane| plane[i]).sum::<f32>() * share),
            );
        }
    }
}
