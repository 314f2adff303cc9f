//! Feature matrices.

use std::path::Path;

use super::archive::Archive;
use super::matrix_form::{Form, Scale};
use super::text;
use crate::files::FileError;
use crate::matrix::Matrix;

/// Header of a binary matrix.
struct Head {
    form: Form,
    scale: Scale,
    rows: usize,
    cols: usize,
}

/// Reads all matrices of an archive with their keys, in order.
pub fn read_matrices(path: impl AsRef<Path>) -> Result<Vec<(String, Matrix)>, FileError> {
    let mut archive = Archive::open(path.as_ref())?;
    let mut matrices = Vec::new();
    while let Some(key) = archive.key()? {
        matrices.push((key, read(&mut archive)?));
    }
    Ok(matrices)
}

/// Reads the next matrix.
pub(super) fn read(archive: &mut Archive) -> Result<Matrix, FileError> {
    if !archive.binary()? {
        return text::read_matrix(archive);
    }
    let Head {
        form,
        scale,
        rows,
        cols,
    } = head(archive)?;
    let bytes = archive.bytes(form.size(rows, cols))?;
    Ok(Matrix::from_rows(
        cols,
        form.expand(scale, &bytes, rows, cols),
    ))
}

/// Rows and columns of the next matrix. Only text matrices are read completely for this.
pub(super) fn shape(archive: &mut Archive) -> Result<(usize, usize), FileError> {
    if !archive.binary()? {
        let matrix = text::read_matrix(archive)?;
        return Ok((matrix.rows(), matrix.cols()));
    }
    let Head {
        form, rows, cols, ..
    } = head(archive)?;
    // A larger matrix is damage, and must not be allocated.
    let left = archive.left();
    if form.size(rows, cols).is_none_or(|size| size > left) {
        return Err(archive.fault(format!(
            "a {rows} × {cols} matrix does not fit in the remaining {left} bytes"
        )));
    }
    Ok((rows, cols))
}

fn head(archive: &mut Archive) -> Result<Head, FileError> {
    let mut token = Vec::new();
    loop {
        match archive.array()? {
            [b' '] => break,
            [byte] if byte.is_ascii_alphanumeric() && token.len() < 4 => token.push(byte),
            _ => return Err(archive.fault("not a matrix: unreadable type token")),
        }
    }
    let Some(form) = Form::from_token(&token) else {
        return Err(archive.fault(format!(
            "unsupported object `{}`: expected FM, DM, CM, CM2 or CM3",
            String::from_utf8_lossy(&token)
        )));
    };
    let mut scale = Scale::default();
    let (rows, cols) = if form.is_compressed() {
        scale.min = f32::from_le_bytes(archive.array()?);
        scale.range = f32::from_le_bytes(archive.array()?);
        let mut size = || archive.array().map(i32::from_le_bytes);
        (size()?, size()?)
    } else {
        (archive.sized_i32()?, archive.sized_i32()?)
    };
    match (usize::try_from(rows), usize::try_from(cols)) {
        (Ok(rows), Ok(cols)) => Ok(Head {
            form,
            scale,
            rows,
            cols,
        }),
        _ => Err(archive.fault(format!("invalid matrix size, {rows} × {cols}"))),
    }
}
