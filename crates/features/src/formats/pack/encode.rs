//! Turns an utterance into a record: the part of writing a pack that threads can share.

use super::check::check;
use super::error::PackError;
use super::record::{self, Kind};
use super::setup::{Setup, Utterance};
use crate::formats::numbers;
use crate::matrix::Matrix;
use crate::normalisation::Moments;

/// An utterance as it will be in the file.
#[derive(Debug)]
pub(super) struct Encoded {
    /// The record, padded.
    pub record: Vec<u8>,
    /// Checksum of the payload.
    pub checksum: u64,
    pub frames: u32,
    /// Symbols of its target.
    pub targets: u32,
    /// Hash of what the record depends on.
    pub identity: u64,
    /// Statistics of the features.
    pub moments: Moments,
}

/// Encodes the utterance with this number.
pub(super) fn encode(
    setup: &Setup,
    utterance: &Utterance,
    number: u64,
    features: &Matrix,
    labels: &[i32],
) -> Result<Encoded, PackError> {
    let refuse = |reason: String| PackError::Utterance {
        id: utterance.id.clone(),
        reason,
    };
    check(setup, utterance, features, labels).map_err(refuse)?;
    let numbers = features.as_slice();
    let mut record = Vec::with_capacity(record::HEAD + numbers.len() * setup.dtype.size());
    record.resize(record::HEAD, 0);
    numbers::store(numbers, setup.dtype, &mut record).map_err(|place| {
        refuse(format!(
            "frame {}, dimension {} is {}: too large for f16; pack as f32",
            place / features.cols(),
            place % features.cols(),
            numbers[place]
        ))
    })?;
    // Compute the statistics from the numbers as they will be read.
    let mut stored = vec![0.0; numbers.len()];
    numbers::load(&record[record::HEAD..], setup.dtype, &mut stored);
    let moments = Moments::of_rows(&stored, features.cols());
    let labels = labels.iter().map(|&label| label as u16);
    record.extend(labels.flat_map(u16::to_le_bytes));
    let targets = utterance.targets.iter().copied();
    record.extend(targets.flat_map(u16::to_le_bytes));
    let (frames, identity) = (features.rows() as u32, utterance.identity());
    let checksum = record::complete(&mut record, Kind::Features, number, frames, identity);
    Ok(Encoded {
        record,
        checksum,
        frames,
        targets: utterance.targets.len() as u32,
        identity,
        moments,
    })
}
