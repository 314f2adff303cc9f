//! Verifies corpus files before training: every checksum, finite features, valid labels.
//!
//! Reading a large corpus takes a while, so the result is cached in the user's cache folder. A file is verified again if its path,
//! size, modification time or checksum differs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use padwise_features::pack::Pack;
use padwise_report::files;
use serde::{Deserialize, Serialize};
use tracing::debug;
use xxhash_rust::xxh3::xxh3_128;

use super::CorporaError;
use crate::machine::cache_folder;
use crate::terminal::DelayedBar;

/// A verified file, as the cache records it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Verified {
    path: PathBuf,
    bytes: u64,
    /// Modification time, in nanoseconds since 1970.
    modified: u128,
    checksum: u64,
}

/// Verifies packs. Files that were verified before and have not changed since are skipped.
pub fn verify<'a>(packs: impl IntoIterator<Item = &'a Pack>) -> Result<(), CorporaError> {
    let cache = cache_folder("verified");
    for pack in packs {
        let entry = Verified::of(pack);
        let place = cache
            .as_ref()
            .zip(entry.as_ref())
            .map(|(cache, entry)| entry.place(cache));
        let known = place.as_deref().and_then(Verified::read);
        if entry.is_some() && known == entry {
            continue;
        }
        verify_one(pack)?;
        if let (Some(place), Some(entry)) = (place, entry) {
            entry.keep(&place);
        }
    }
    Ok(())
}

fn verify_one(pack: &Pack) -> Result<(), CorporaError> {
    let progress = DelayedBar::new(pack.size() / 1_000_000, "MB");
    progress.set_message(format!("verifying {}", pack.path().display()));
    let done = AtomicU64::new(0);
    let verified = pack.verify_with(|bytes| {
        let done = done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        progress.set_position(done / 1_000_000);
    });
    drop(progress);
    verified.map_err(CorporaError::other)
}

impl Verified {
    /// None if the system does not report a modification time.
    fn of(pack: &Pack) -> Option<Self> {
        let metadata = fs::metadata(pack.path()).ok()?;
        let modified = |time: SystemTime| time.duration_since(UNIX_EPOCH).ok();
        Some(Verified {
            path: fs::canonicalize(pack.path()).ok()?,
            bytes: metadata.len(),
            modified: metadata.modified().ok().and_then(modified)?.as_nanos(),
            checksum: pack.checksum(),
        })
    }

    /// One small file per pack, so processes do not overwrite each other's results.
    fn place(&self, cache: &Path) -> PathBuf {
        let name = xxh3_128(self.path.as_os_str().as_encoded_bytes());
        cache.join(format!("{name:032x}.json"))
    }

    fn read(place: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(place).ok()?).ok()
    }

    /// Without a cache, the file is verified again next time.
    fn keep(&self, place: &Path) {
        let write = || {
            fs::create_dir_all(place.parent().unwrap_or(Path::new("")))?;
            files::replace(place, &serde_json::to_vec(self)?)
        };
        if let Err(error) = write() {
            debug!(%error, "cannot cache the verification");
        }
    }
}
