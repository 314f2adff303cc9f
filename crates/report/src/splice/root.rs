//! Where a document may take its content from: files below the root of its project, and nowhere else.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use padwise_sampler::excerpt::excerpt;

use crate::findings::Findings;
use crate::record::{ReadError, Recorded};

/// A folder that contains one of these is the root of a project.
const MARKS: [&str; 2] = [".git", "Cargo.toml"];

/// The folder that paths of sources start from, and the folder that they must not leave.
#[derive(Debug)]
pub struct SourceFolder {
    base: PathBuf,
    /// In full, without links; none if every path is allowed.
    limit: Option<PathBuf>,
    /// Records that were read. A document may have dozens of blocks from one record.
    read: RefCell<BTreeMap<PathBuf, Rc<Findings>>>,
    /// Tables of studies that were made, by folder and name. A document may have dozens of cells from one table.
    studies: RefCell<BTreeMap<(PathBuf, String), Rc<str>>>,
}

impl SourceFolder {
    /// Any path, relative to `base`: for sources that a user types.
    pub fn anywhere(base: &Path) -> Self {
        SourceFolder {
            base: base.into(),
            limit: None,
            read: RefCell::default(),
            studies: RefCell::default(),
        }
    }

    /// Paths relative to `base`, and only below the root of a document's project.
    ///
    /// The root is the nearest folder above the document with `.git`, or else with `Cargo.toml`, or else the document's folder.
    pub fn of_document(document: &Path, base: &Path) -> Self {
        let folder = document
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
        let marked = |mark: &str| folder.ancestors().find(|above| above.join(mark).exists());
        let root = MARKS
            .iter()
            .find_map(|mark| marked(mark))
            .unwrap_or(&folder);
        SourceFolder {
            base: base.into(),
            limit: Some(root.into()),
            read: RefCell::default(),
            studies: RefCell::default(),
        }
    }

    /// The findings of a results folder. Each is read once.
    pub(super) fn findings(&self, place: &Path) -> Result<Rc<Findings>, ReadError> {
        if let Some(known) = self.read.borrow().get(place) {
            return Ok(known.clone());
        }
        let findings = Rc::new(Findings::of(Recorded::open(place)?));
        let mut read = self.read.borrow_mut();
        read.insert(place.into(), findings.clone());
        Ok(findings)
    }

    /// The table of a study of results folders. Each is made once.
    pub(super) fn study<E>(
        &self,
        place: &Path,
        name: &str,
        make: impl FnOnce() -> Result<String, E>,
    ) -> Result<Rc<str>, E> {
        let key = (place.to_path_buf(), name.to_owned());
        if let Some(known) = self.studies.borrow().get(&key) {
            return Ok(known.clone());
        }
        let table: Rc<str> = make()?.into();
        self.studies.borrow_mut().insert(key, table.clone());
        Ok(table)
    }

    /// The place that a source names, or why it is refused.
    pub(super) fn place(&self, path: &str) -> Result<PathBuf, String> {
        let place = self.base.join(path);
        let Some(limit) = &self.limit else {
            return Ok(place);
        };
        let shown = excerpt(path);
        let refused = |why: &str| {
            format!(
                "`{shown}` {why}: use a path below {}, the root of the document's project",
                limit.display()
            )
        };
        if Path::new(path).is_absolute() {
            return Err(refused("is an absolute path"));
        }
        let real = match place.canonicalize() {
            Ok(real) => real,
            Err(_) if leaves(path) => return Err(refused("leaves the project")),
            Err(error) => return Err(format!("cannot read {shown}: {error}")),
        };
        if !real.starts_with(limit) {
            return Err(refused("leaves the project"));
        }
        match outside(&real, limit, 2) {
            None => Ok(place),
            Some(link) => {
                let name = link.strip_prefix(&real).unwrap_or(&link);
                let name = excerpt(&name.display().to_string());
                Err(refused(&format!(
                    "contains a link out of the project, {name}"
                )))
            }
        }
    }
}

/// Whether a path goes above its start.
fn leaves(path: &str) -> bool {
    let mut depth = 0i64;
    Path::new(path).components().any(|part| {
        match part {
            std::path::Component::ParentDir => depth -= 1,
            std::path::Component::Normal(_) => depth += 1,
            _ => {}
        }
        depth < 0
    })
}

/// A link in a folder, up to some levels deep, that leads out of `limit`.
fn outside(folder: &Path, limit: &Path, levels: usize) -> Option<PathBuf> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let kind = entry.file_type().ok()?;
        if kind.is_symlink() {
            let real = path.canonicalize();
            if real.is_ok_and(|real| !real.starts_with(limit)) {
                return Some(path);
            }
        } else if kind.is_dir() && levels > 1 {
            let found = outside(&path, limit, levels - 1);
            if found.is_some() {
                return found;
            }
        }
    }
    None
}
