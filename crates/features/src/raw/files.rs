//! The files of a raw corpus, out of a folder or an archive.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::Path;

use super::RawError;

/// The files of a raw corpus, as they are.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// The numbers, and how many make a frame.
    pub features: Option<(usize, Vec<u8>)>,
    pub labels: Option<Vec<u8>>,
    pub phones: Option<String>,
    pub index: Option<String>,
    pub text: Option<String>,
}

impl Files {
    pub fn read(path: &Path) -> Result<Self, RawError> {
        let mut files = Files::default();
        if path.is_dir() {
            let entries = fs::read_dir(path).map_err(RawError::io(path))?;
            for entry in entries {
                let file = entry.map_err(RawError::io(path))?.path();
                if let Some(name) = file.file_name().and_then(|name| name.to_str())
                    && file.is_file()
                {
                    let open = File::open(&file).map_err(RawError::io(&file))?;
                    files.take(path, name, open)?;
                }
            }
        } else {
            let file = File::open(path).map_err(RawError::io(path))?;
            let unpacked = lzma_rust2::XzReader::new(BufReader::new(file), true);
            let mut archive = tar::Archive::new(unpacked);
            for entry in archive.entries().map_err(RawError::io(path))? {
                let entry = entry.map_err(RawError::io(path))?;
                let name = entry.path().map_err(RawError::io(path))?.into_owned();
                if let Some(name) = name.file_name().and_then(|name| name.to_str())
                    && entry.header().entry_type().is_file()
                {
                    files.take(path, name, entry)?;
                }
            }
        }
        Ok(files)
    }

    /// Reads a file if it is one of ours; any other is passed over.
    fn take(&mut self, path: &Path, name: &str, mut file: impl Read) -> Result<(), RawError> {
        let dims = name
            .strip_prefix("feat")
            .and_then(|rest| rest.strip_suffix(".f16le"))
            .and_then(|dims| dims.parse::<u16>().ok())
            .filter(|&dims| dims > 0);
        let place = match name {
            "phones.txt" => &mut self.phones,
            "index.csv" => &mut self.index,
            "text.tsv" => &mut self.text,
            _ => {
                if dims.is_some() || name == "labels.u8" {
                    let mut bytes = Vec::new();
                    file.read_to_end(&mut bytes).map_err(RawError::io(path))?;
                    match dims {
                        Some(dims) if self.features.is_none() => {
                            self.features = Some((usize::from(dims), bytes));
                        }
                        Some(_) => {
                            return Err(RawError::File {
                                path: path.to_path_buf(),
                                file: name.to_string(),
                                reason: "a second file of features: keep one".into(),
                            });
                        }
                        None => self.labels = Some(bytes),
                    }
                }
                return Ok(());
            }
        };
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(RawError::io(path))?;
        *place = Some(text);
        Ok(())
    }
}
