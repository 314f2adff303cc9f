//! Matrices of features.

use std::path::Path;

use super::KaldiError;
use super::ark::Ark;
use super::compressed::{Compression, Scale};
use super::text;
use crate::Matrix;

/// A binary matrix whose numbers are next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Float,
    Double,
    Compressed(Compression, Scale),
}

struct Head {
    form: Form,
    rows: usize,
    cols: usize,
}

/// All matrices of an archive with their keys, in their order.
pub fn read_matrices(path: impl AsRef<Path>) -> Result<Vec<(String, Matrix)>, KaldiError> {
    let mut ark = Ark::open(path.as_ref())?;
    let mut matrices = Vec::new();
    while let Some(key) = ark.key()? {
        matrices.push((key, read(&mut ark)?));
    }
    Ok(matrices)
}

/// The matrix that is next.
pub(super) fn read(ark: &mut Ark) -> Result<Matrix, KaldiError> {
    if !ark.binary()? {
        return text::read_matrix(ark);
    }
    let Head { form, rows, cols } = head(ark)?;
    let (r, c) = (rows as u64, cols as u64);
    let values = r.checked_mul(c);
    let numbers = match form {
        Form::Float => {
            let bytes = ark.bytes(values.and_then(|n| n.checked_mul(4)))?;
            let numbers = bytes.as_chunks().0.iter();
            numbers.map(|n| f32::from_le_bytes(*n)).collect()
        }
        Form::Double => {
            let bytes = ark.bytes(values.and_then(|n| n.checked_mul(8)))?;
            let numbers = bytes.as_chunks().0.iter();
            numbers.map(|n| f64::from_le_bytes(*n) as f32).collect()
        }
        Form::Compressed(compression, scale) => {
            let bytes = ark.bytes(compression.size(r, c))?;
            compression.expand(scale, &bytes, rows, cols)
        }
    };
    Ok(Matrix::from_rows(cols, numbers))
}

/// Rows and columns of the matrix that is next. Only a matrix in text is read to its end for that.
pub(super) fn shape(ark: &mut Ark) -> Result<(usize, usize), KaldiError> {
    if !ark.binary()? {
        let matrix = text::read_matrix(ark)?;
        return Ok((matrix.rows(), matrix.cols()));
    }
    let head = head(ark)?;
    // No form of matrix takes less than a byte a number, so a larger one is damage, and must not be made room for.
    let least = (head.rows as u64).saturating_mul(head.cols as u64);
    if least > ark.left() {
        let (rows, cols, left) = (head.rows, head.cols, ark.left());
        return Err(ark.fault(format!("a matrix of {rows} by {cols} in {left} bytes")));
    }
    Ok((head.rows, head.cols))
}

fn head(ark: &mut Ark) -> Result<Head, KaldiError> {
    let mut token = Vec::new();
    loop {
        match ark.array()? {
            [b' '] => break,
            [byte] if byte.is_ascii_alphanumeric() && token.len() < 4 => token.push(byte),
            _ => return Err(ark.fault("no matrix: its token cannot be read")),
        }
    }
    let compression = match token.as_slice() {
        b"FM" | b"DM" => {
            let (rows, cols) = (ark.sized_i32()?, ark.sized_i32()?);
            let form = if token == b"FM" {
                Form::Float
            } else {
                Form::Double
            };
            return checked(ark, form, rows, cols);
        }
        b"CM" => Compression::Quartiles,
        b"CM2" => Compression::TwoBytes,
        b"CM3" => Compression::OneByte,
        other => {
            return Err(ark.fault(format!(
                "an object `{}`: features are FM, DM, CM, CM2 or CM3",
                String::from_utf8_lossy(other)
            )));
        }
    };
    let scale = Scale {
        min: f32::from_le_bytes(ark.array()?),
        range: f32::from_le_bytes(ark.array()?),
    };
    let rows = i32::from_le_bytes(ark.array()?);
    let cols = i32::from_le_bytes(ark.array()?);
    checked(ark, Form::Compressed(compression, scale), rows, cols)
}

fn checked(ark: &Ark, form: Form, rows: i32, cols: i32) -> Result<Head, KaldiError> {
    match (usize::try_from(rows), usize::try_from(cols)) {
        (Ok(rows), Ok(cols)) => Ok(Head { form, rows, cols }),
        _ => Err(ark.fault(format!("a matrix of {rows} by {cols}"))),
    }
}
