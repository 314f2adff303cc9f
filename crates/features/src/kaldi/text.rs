//! Matrices written as text: `[`, a line a row, `]`.

use super::KaldiError;
use super::ark::Ark;
use crate::Matrix;

/// The matrix that is next, in text.
pub(super) fn read_matrix(ark: &mut Ark) -> Result<Matrix, KaldiError> {
    let mut numbers = Vec::new();
    let mut cols = 0;
    let mut begun = false;
    loop {
        let Some(line) = ark.line()? else {
            return Err(ark.fault("a matrix in text that does not end with `]`"));
        };
        let mut row = line.trim();
        if !begun {
            if row.is_empty() {
                continue;
            }
            row = row
                .strip_prefix('[')
                .ok_or_else(|| ark.fault("neither a binary object nor a matrix in text, `[`"))?;
            begun = true;
        }
        let (row, ended) = match row.strip_suffix(']') {
            Some(row) => (row, true),
            None => (row, false),
        };
        let before = numbers.len();
        for word in row.split_whitespace() {
            let number: f32 = word
                .parse()
                .map_err(|_| ark.fault(format!("`{word}` in a matrix")))?;
            numbers.push(number);
        }
        let found = numbers.len() - before;
        if found > 0 {
            if cols != 0 && found != cols {
                return Err(ark.fault(format!("a row of {found} after rows of {cols}")));
            }
            cols = found;
        }
        if ended {
            return Ok(Matrix::from_rows(cols, numbers));
        }
    }
}
