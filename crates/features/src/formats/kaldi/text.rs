//! Text matrices: `[`, one line per row, `]`.

use super::archive::Archive;
use crate::files::FileError;
use crate::matrix::Matrix;
use padwise_sampler::excerpt::excerpt;

/// Reads the next matrix as text.
pub(super) fn read_matrix(archive: &mut Archive) -> Result<Matrix, FileError> {
    let mut numbers = Vec::new();
    let mut cols = 0;
    let mut begun = false;
    while let Some(line) = archive.line()? {
        let mut row = line.trim();
        if !begun {
            if row.is_empty() {
                continue;
            }
            row = row.strip_prefix('[').ok_or_else(|| {
                archive.fault("expected a binary object, or a text matrix that starts with `[`")
            })?;
            begun = true;
        }
        let ended = row.ends_with(']');
        let row = row.strip_suffix(']').unwrap_or(row);
        let before = numbers.len();
        for word in row.split_whitespace() {
            let number: f32 = word.parse().map_err(|_| {
                let word = excerpt(word);
                archive.fault(format!("invalid number `{word}` in a matrix"))
            })?;
            numbers.push(number);
        }
        let found = numbers.len() - before;
        if found > 0 {
            if cols != 0 && found != cols {
                return Err(archive.fault(format!("row of {found} values after rows of {cols}")));
            }
            cols = found;
        }
        if ended {
            return Ok(Matrix::from_rows(cols, numbers));
        }
    }
    Err(archive.fault("text matrix without a closing `]`"))
}
