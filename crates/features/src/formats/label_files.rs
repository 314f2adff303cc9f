//! Reads frame labels from files; the format follows from the file name.

use std::path::Path;

use super::{kaldi, npy};
use crate::files::{FileError, extension};
use crate::labels::{Alignments, FrameLabels, LabelError};

impl FrameLabels {
    /// Reads the labels of a corpus from one file: CTM, or an archive of Kaldi alignments.
    pub fn read(path: impl AsRef<Path>, silence: &str) -> Result<Self, LabelError> {
        let path = path.as_ref();
        match extension(path).as_str() {
            "ctm" => FrameLabels::intervals(vec![Alignments::read_ctm(path)?], silence),
            "ark" | "ali" => {
                let vectors = kaldi::read_int_vectors(path)?.into_iter();
                FrameLabels::numbers(vectors.map(|(id, labels)| (id, path.to_path_buf(), labels)))
            }
            _ => Err(unknown_form(path)),
        }
    }

    /// Reads the labels of a corpus from one file per utterance: TextGrids, of which `tier` is read, or `.npy` arrays.
    pub fn read_each<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a Path)>,
        tier: &str,
        silence: &str,
    ) -> Result<Self, LabelError> {
        Self::read_files(files, tier, silence, |_, error| Err(error))
    }

    /// The same, except that a file that cannot be read makes only its own utterance unreadable.
    pub fn read_each_readable<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a Path)>,
        tier: &str,
        silence: &str,
    ) -> Result<Self, LabelError> {
        let mut unreadable = Vec::new();
        let labels = Self::read_files(files, tier, silence, |id, error| {
            unreadable.push((id.to_string(), error.to_string()));
            Ok(())
        });
        Ok(labels?.with_unreadable(unreadable))
    }

    /// Reads one file per utterance. `unreadable` decides about a file that cannot be read.
    fn read_files<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a Path)>,
        tier: &str,
        silence: &str,
        mut unreadable: impl FnMut(&str, LabelError) -> Result<(), LabelError>,
    ) -> Result<Self, LabelError> {
        let files: Vec<(&str, &Path)> = files.into_iter().collect();
        let is_grid = |path: &Path| extension(path) == "textgrid";
        let is_array = |path: &Path| extension(path) == "npy";
        let Some(&(_, first)) = files.first() else {
            return FrameLabels::numbers([]);
        };
        if let Some(&(_, path)) = files.iter().find(|(_, p)| !is_grid(p) && !is_array(p)) {
            return Err(unknown_form(path));
        }
        if let Some(&(_, other)) = files.iter().find(|(_, p)| is_grid(p) != is_grid(first)) {
            return Err(LabelError::Inconsistent(format!(
                "{} and {} have different label formats: use one format for the whole corpus",
                first.display(),
                other.display()
            )));
        }
        let (mut grids, mut arrays) = (Vec::new(), Vec::new());
        for &(id, path) in &files {
            let read = if is_grid(first) {
                Alignments::read_textgrid(path, id, tier).map(|grid| grids.push(grid))
            } else {
                let labels = npy::read_labels(path).map_err(LabelError::from);
                labels.map(|labels| arrays.push((id.into(), path.into(), labels)))
            };
            if let Err(error) = read {
                unreadable(id, error)?;
            }
        }
        if is_grid(first) {
            FrameLabels::intervals(grids, silence)
        } else {
            FrameLabels::numbers(arrays)
        }
    }
}

fn unknown_form(path: &Path) -> LabelError {
    let reason = "unrecognised label format: expected .ctm, .ark, .TextGrid or .npy";
    FileError::content(path, reason).into()
}
