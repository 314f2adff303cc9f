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
        let files = files.into_iter();
        if is_grid(first) {
            let grids = files.map(|(id, path)| Alignments::read_textgrid(path, id, tier));
            return FrameLabels::intervals(grids.collect::<Result<_, _>>()?, silence);
        }
        let arrays = files.map(|(id, path)| Ok((id.into(), path.into(), npy::read_labels(path)?)));
        FrameLabels::numbers(arrays.collect::<Result<Vec<_>, FileError>>()?)
    }
}

fn unknown_form(path: &Path) -> LabelError {
    let reason = "unrecognised label format: expected .ctm, .ark, .TextGrid or .npy";
    FileError::content(path, reason).into()
}
