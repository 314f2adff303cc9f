//! Reads a file of limited size, so that a wrong path cannot block the program or fill its memory.

use std::io;
use std::path::Path;

use padwise_features::FileError;
use padwise_features::files::read_regular;

/// The largest config that is read, in bytes.
pub const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// Reads a regular file of at most `limit` bytes. Refuses pipes and devices, which may never end.
///
/// The error lacks the path, which the caller adds.
pub fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_regular(path, limit).map_err(|error| match error {
        FileError::Io { source, .. } => source,
        FileError::Content { reason, .. } => io::Error::other(reason),
        other => io::Error::other(other),
    })
}

/// Like [`read_bounded`], for text in UTF-8.
pub fn read_bounded_text(path: &Path, limit: u64) -> io::Result<String> {
    let invalid = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not text in UTF-8");
    String::from_utf8(read_bounded(path, limit)?).map_err(invalid)
}

#[cfg(test)]
mod tests {
    use std::fs;

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
        assert!(problem(&path, 7).contains("8 bytes: at most 7"));
        assert!(problem(folder.path(), 7).contains("a folder"));
        fs::write(&path, b"\xff").expect("writable");
        assert!(problem(&path, 7).contains("UTF-8"));
    }

    /// Reading `/dev/zero` or a pipe without a writer would never return.
    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_refused() {
        let error = read_bounded(Path::new("/dev/zero"), 1 << 20).expect_err("a device");
        assert!(
            error.to_string().contains("expected a regular file"),
            "{error}"
        );
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if made.is_ok_and(|status| status.success()) {
            let error = crate::read(&pipe, &[]).expect_err("a pipe");
            assert!(matches!(error, crate::ConfigError::Read { .. }), "{error}");
        }
    }
}
