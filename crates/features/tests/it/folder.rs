//! Folders of audio files.

#![allow(clippy::unwrap_used, reason = "what a test does not expect ends it")]

use std::fs;
use std::path::Path;

use crate::support::message;
use padwise_features::layouts::{MissingFiles, Source, contains_audio, folder};
use tempfile::TempDir;

fn put(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn ids(sources: &[Source]) -> Vec<&str> {
    sources.iter().map(|source| source.id.as_str()).collect()
}

#[test]
fn audio_in_subfolders_is_found_with_transcripts_and_speakers() {
    let temporary = TempDir::new().unwrap();
    let root = temporary.path();
    assert!(!contains_audio(root).unwrap());
    put(root, "ben/day.1/002.FLAC", "");
    put(root, "anna/001.wav", "");
    put(root, "anna/001.txt", "\u{feff} good\r\n\tmorning \n");
    put(root, "anna/002.wav", "");
    put(root, "intro.v2.Wav", "");
    put(root, "intro.v2.txt", "");
    put(root, "anna/notes.txt", "about anna");
    for hidden in ["._intro.wav", "anna/._001.wav", ".trash/x.wav"] {
        put(root, hidden, "");
    }
    assert!(contains_audio(root).unwrap());
    let sources = folder(root, MissingFiles::Refuse).unwrap();
    assert_eq!(
        ids(&sources),
        ["anna/001", "anna/002", "ben/day.1/002", "intro.v2"]
    );
    let speakers: Vec<_> = sources.iter().map(|s| s.speaker.as_deref()).collect();
    assert_eq!(speakers, [Some("anna"), Some("anna"), Some("ben"), None]);
    let texts: Vec<_> = sources.iter().map(|s| s.text.as_deref()).collect();
    assert_eq!(texts, [Some("good morning"), None, None, Some("")]);
    assert_eq!(sources[2].audio, root.join("ben/day.1/002.FLAC"));
}

#[test]
fn unusable_folders_are_errors() {
    let temporary = TempDir::new().unwrap();
    let root = temporary.path();
    let said = || message(folder(root, MissingFiles::Refuse).unwrap_err(), root);
    put(root, "readme.txt", "");
    let mut all = vec![said()];
    put(root, "a/x.wav", "");
    put(root, "a/x.flac", "");
    all.push(said());
    fs::remove_file(root.join("a/x.flac")).unwrap();
    fs::write(root.join("a/x.txt"), b"caf\xe9").unwrap();
    all.push(said());
    fs::write(root.join("a/x.txt"), vec![b' '; (1 << 20) + 1]).unwrap();
    all.push(said());
    insta::assert_snapshot!(all.join("\n"), @r"
        .: no .wav or .flac files in this folder
        a/x.wav: same id a/x as a/x.flac: rename or remove one of them
        a/x.txt: not valid UTF-8
        a/x.txt: 1048577 bytes: at most 1048576 are supported for this kind of file
        ");
    assert!(folder(root.join("nowhere"), MissingFiles::Refuse).is_err());
}

/// Links are followed, but never in a cycle, and nothing is listed twice.
#[cfg(unix)]
#[test]
fn links_do_not_lead_in_cycles() {
    use std::os::unix::fs::symlink;

    let temporary = TempDir::new().unwrap();
    let (root, outside) = (
        temporary.path().join("root"),
        temporary.path().join("outside"),
    );
    put(&root, "a/1.wav", "");
    put(&outside, "2.wav", "");
    put(temporary.path(), "not-part/3.wav", "");
    symlink(&root, root.join("a/up")).unwrap();
    symlink(temporary.path(), root.join("parent")).unwrap();
    symlink(root.join("a"), root.join("again")).unwrap();
    symlink(&outside, root.join("b")).unwrap();
    symlink(&outside, root.join("c")).unwrap();
    symlink(&root, outside.join("back")).unwrap();
    symlink(outside.join("2.wav"), root.join("file.wav")).unwrap();
    let sources = folder(&root, MissingFiles::Refuse).unwrap();
    assert_eq!(ids(&sources), ["a/1", "b/2", "file"]);
    symlink("gone.wav", root.join("broken.wav")).unwrap();
    let said = message(folder(&root, MissingFiles::Refuse).unwrap_err(), &root);
    assert_eq!(said, "broken.wav: not a regular file");
    let sources = folder(&root, MissingFiles::List).unwrap();
    assert_eq!(ids(&sources), ["a/1", "b/2", "broken", "file"]);
    // A link to a part of a folder does not hide the rest of it.
    put(&outside, "sub/4.wav", "");
    symlink(outside.join("sub"), root.join("aa")).unwrap();
    fs::remove_file(root.join("broken.wav")).unwrap();
    let sources = folder(&root, MissingFiles::Refuse).unwrap();
    assert_eq!(sources.len(), 4, "{:?}", ids(&sources));
}
