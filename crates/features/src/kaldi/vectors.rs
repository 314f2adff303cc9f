//! Vectors of whole numbers: alignments.

use std::path::Path;

use super::KaldiError;
use super::ark::Ark;

/// All vectors of an archive with their keys, in their order. In text, a vector is the rest of its line.
pub fn read_int_vectors(path: impl AsRef<Path>) -> Result<Vec<(String, Vec<i32>)>, KaldiError> {
    let mut ark = Ark::open(path.as_ref())?;
    let mut vectors = Vec::new();
    while let Some(key) = ark.key()? {
        let vector = if ark.binary()? {
            binary(&mut ark)?
        } else {
            text(&mut ark)?
        };
        vectors.push((key, vector));
    }
    Ok(vectors)
}

fn binary(ark: &mut Ark) -> Result<Vec<i32>, KaldiError> {
    let len = ark.sized_i32()?;
    let Ok(len) = u64::try_from(len) else {
        return Err(ark.fault(format!("a vector of {len} numbers")));
    };
    // Every number has the byte for its size before it.
    let bytes = ark.bytes(Some(len * 5))?;
    bytes
        .as_chunks::<5>()
        .0
        .iter()
        .map(|number| match *number {
            [4, a, b, c, d] => Ok(i32::from_le_bytes([a, b, c, d])),
            [size, ..] => Err(ark.fault(format!("a whole number of {size} bytes in a vector"))),
        })
        .collect()
}

fn text(ark: &mut Ark) -> Result<Vec<i32>, KaldiError> {
    let line = ark.line()?.unwrap_or_default();
    line.split_whitespace()
        .map(|word| {
            word.parse()
                .map_err(|_| ark.fault(format!("`{word}` in a vector of whole numbers")))
        })
        .collect()
}
