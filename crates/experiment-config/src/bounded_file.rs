//! Reads a file of limited size, so that a wrong path cannot block the program or fill its memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The largest config that is read, in bytes.
pub const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// Reads a regular file of at most `limit` bytes. Refuses pipes and devices, which may never end.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe blocks until somebody writes, so its type is checked first.
    let size = regular(&fs::metadata(path)?)?;
    let mut file = File::open(path)?;
    regular(&file.metadata()?)?;
    let mut content = Vec::with_capacity(usize::try_from(size.min(limit)).unwrap_or(0));
    let read = file.by_ref().take(limit + 1).read_to_end(&mut content)?;
    if read as u64 > limit {
        let problem = format!(
            "it is larger than {} MiB, the limit for this file",
            limit >> 20
        );
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(content)
}

/// Like [`read_bounded`], for text in UTF-8.
pub fn read_bounded_text(path: &Path, limit: u64) -> io::Result<String> {
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8");
    String::from_utf8(read_bounded(path, limit)?).map_err(invalid)
}

/// The size of a regular file.
fn regular(metadata: &fs::Metadata) -> io::Result<u64> {
    if metadata.is_file() {
        return Ok(metadata.len());
    }
    let kind = if metadata.is_dir() {
        "a folder"
    } else {
        "a pipe or device"
    };
    let problem = format!("it is {kind}, not a regular file");
    Err(io::Error::new(io::ErrorKind::InvalidInput, problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_up_to_the_limit_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.toml");
        fs::write(&path, "12345678").expect("writable");
        assert_eq!(read_bounded(&path, 8).expect("small enough"), b"12345678");
        let problem = |path: &Path, limit| {
            let error = read_bounded_text(path, limit).expect_err("refused");
            error.to_string()
        };
        assert!(problem(&path, 7).contains("larger than 0 MiB"));
        assert!(problem(folder.path(), 7).contains("a folder"));
        fs::write(&path, b"\xff").expect("writable");
        assert!(problem(&path, 7).contains("UTF-8"));
    }

    /// Reading `/dev/zero` or a pipe without a writer would never return.
    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_refused() {
        let error = read_bounded(Path::new("/dev/zero"), 1 << 20).expect_err("a device");
        assert!(error.to_string().contains("not a regular file"), "{error}");
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if made.is_ok_and(|status| status.success()) {
            let error = crate::read(&pipe, &[]).expect_err("a pipe");
            assert!(matches!(error, crate::ConfigError::Read { .. }), "{error}");
        }
    }
}
