//! Integer vectors: alignments.

use std::path::Path;

use super::archive::Archive;
use crate::files::FileError;
use padwise_sampler::excerpt::excerpt;

/// Reads all vectors of an archive with their keys, in order. In a text archive, a vector is the rest of the line.
pub fn read_int_vectors(path: impl AsRef<Path>) -> Result<Vec<(String, Vec<i32>)>, FileError> {
    let mut archive = Archive::open(path.as_ref())?;
    let mut vectors = Vec::new();
    while let Some(key) = archive.key()? {
        let vector = if archive.binary()? {
            binary(&mut archive)?
        } else {
            text(&mut archive)?
        };
        vectors.push((key, vector));
    }
    Ok(vectors)
}

fn binary(archive: &mut Archive) -> Result<Vec<i32>, FileError> {
    let len = archive.sized_i32()?;
    let Ok(len) = u64::try_from(len) else {
        return Err(archive.fault(format!("invalid vector length {len}")));
    };
    // Every integer is preceded by a byte with its size.
    let bytes = archive.bytes(Some(len * 5))?;
    let numbers = bytes.as_chunks::<5>().0.iter();
    numbers
        .map(|number| match *number {
            [4, a, b, c, d] => Ok(i32::from_le_bytes([a, b, c, d])),
            [size, ..] => {
                Err(archive.fault(format!("integer of {size} bytes in a vector, expected 4")))
            }
        })
        .collect()
}

fn text(archive: &mut Archive) -> Result<Vec<i32>, FileError> {
    let line = archive.line()?.unwrap_or_default();
    line.split_whitespace()
        .map(|word| {
            word.parse().map_err(|_| {
                let word = excerpt(word);
                archive.fault(format!("invalid integer `{word}` in a vector"))
            })
        })
        .collect()
}
