//! Labels out of files of any format, told by their names.

use std::path::Path;

use super::{kaldi, npy};
use crate::files::{FileError, extension};
use crate::labels::{Alignments, FrameLabels, LabelError};

impl FrameLabels {
    /// The labels of a corpus in one file: CTM, or an archive of Kaldi's alignments.
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

    /// The labels of a corpus in a file for each utterance: TextGrids, of which `tier` is read, or arrays.
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
                "{} and {} are labels of different kinds: use one for the whole corpus",
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
    let reason = "labels are read from .ctm, .TextGrid, .ark and .npy files";
    FileError::content(path, reason).into()
}
