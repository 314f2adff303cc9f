//! Writes archives and their script files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::files::FileError;
use crate::matrix::Matrix;

/// Number format for writing a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixForm {
    /// Text, with enough digits to read the same number back.
    Text,
    /// Binary, single precision.
    Float,
    /// Binary, double precision.
    Double,
}

/// Writes an archive, and a script file with the position of each object.
#[derive(Debug)]
pub struct ArkWriter {
    path: PathBuf,
    ark: BufWriter<File>,
    scp_path: PathBuf,
    scp: BufWriter<File>,
    place: u64,
}

impl ArkWriter {
    /// Creates an archive and its script file. Existing files are replaced.
    pub fn create(ark: impl AsRef<Path>, scp: impl AsRef<Path>) -> Result<Self, FileError> {
        let (path, scp_path) = (ark.as_ref().to_path_buf(), scp.as_ref().to_path_buf());
        let create = |path: &Path| {
            let file = File::create(path).map_err(FileError::io(path))?;
            Ok(BufWriter::new(file))
        };
        Ok(ArkWriter {
            ark: create(&path)?,
            scp: create(&scp_path)?,
            path,
            scp_path,
            place: 0,
        })
    }

    /// Appends a matrix.
    pub fn matrix(
        &mut self,
        key: &str,
        matrix: &Matrix,
        form: MatrixForm,
    ) -> Result<(), FileError> {
        let mut bytes = Vec::new();
        if form == MatrixForm::Text {
            bytes.extend(b" [");
            for row in 0..matrix.rows() {
                bytes.extend(b"\n ");
                for number in matrix.row(row) {
                    bytes.extend(format!(" {number}").bytes());
                }
            }
            bytes.extend(b" ]\n");
        } else {
            let double = form == MatrixForm::Double;
            bytes.extend(if double { b"\0BDM " } else { b"\0BFM " });
            for size in [matrix.rows(), matrix.cols()] {
                bytes.extend(self.size(key, size)?);
            }
            for &number in matrix.as_slice() {
                if double {
                    bytes.extend(f64::from(number).to_le_bytes());
                } else {
                    bytes.extend(number.to_le_bytes());
                }
            }
        }
        self.object(key, &bytes)
    }

    /// Appends an integer vector, in binary.
    pub fn int_vector(&mut self, key: &str, vector: &[i32]) -> Result<(), FileError> {
        let mut bytes = b"\0B".to_vec();
        bytes.extend(self.size(key, vector.len())?);
        for number in vector {
            bytes.push(4);
            bytes.extend(number.to_le_bytes());
        }
        self.object(key, &bytes)
    }

    /// Flushes both files.
    pub fn finish(mut self) -> Result<(), FileError> {
        self.ark.flush().map_err(FileError::io(&self.path))?;
        self.scp.flush().map_err(FileError::io(&self.scp_path))
    }

    fn object(&mut self, key: &str, bytes: &[u8]) -> Result<(), FileError> {
        if key.is_empty() || key.contains(|c: char| c.is_whitespace() || c == '\0') {
            return Err(self.refuse(key, "a key must be one word without whitespace"));
        }
        let object = self.place + key.len() as u64 + 1;
        self.place = object + bytes.len() as u64;
        write!(self.ark, "{key} ")
            .and_then(|()| self.ark.write_all(bytes))
            .map_err(FileError::io(&self.path))?;
        writeln!(self.scp, "{key} {}:{object}", self.path.display())
            .map_err(FileError::io(&self.scp_path))
    }

    fn size(&self, key: &str, size: usize) -> Result<[u8; 5], FileError> {
        let size = i32::try_from(size).map_err(|_| {
            self.refuse(
                key,
                format!("size {size} exceeds Kaldi's limit of 2147483647"),
            )
        })?;
        let [a, b, c, d] = size.to_le_bytes();
        Ok([4, a, b, c, d])
    }

    fn refuse(&self, key: &str, reason: impl std::fmt::Display) -> FileError {
        FileError::content(&self.path, format!("utterance {key}: {reason}"))
    }
}
