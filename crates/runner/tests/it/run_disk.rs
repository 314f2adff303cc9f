//! `padwise run` when results cannot be written: exit code 3 and an error message.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;

use crate::common::{TINY, in_folder, padwise, write};

/// Standard error of a run that must end with exit code 3.
fn fails(file: &str, out: &str) -> String {
    let run = padwise().args(["run", file, "--out", out]).assert().code(3);
    String::from_utf8_lossy(&run.get_output().stderr).into_owned()
}

/// A closed terminal or a full disk must not change the exit code.
#[test]
fn messages_that_cannot_be_printed_do_not_change_the_exit_code() {
    let full = || std::fs::File::options().write(true).open("/dev/full");
    let folder = tempfile::tempdir().expect("a folder");
    let missing = in_folder(&folder, "missing.toml");
    for arguments in [
        ["run", &missing],
        ["corpus", &missing],
        ["analyze", &missing],
    ] {
        let ended = Command::new(assert_cmd::cargo::cargo_bin("padwise"))
            .args(arguments)
            .stderr(full().expect("a device"))
            .status();
        assert_eq!(ended.expect("an end").code(), Some(2), "{arguments:?}");
    }
}

/// `padwise man --out DIR | head -1` writes every page.
#[test]
fn files_are_written_although_standard_output_is_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (complete, closed) = (folder.path().join("a"), folder.path().join("b"));
    let man = |out: &Path| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("padwise"));
        command.arg("man").arg("--out").arg(out);
        command
    };
    man(&complete).output().expect("an end");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let status = man(&closed).stdout(writer).status().expect("an end");
    assert!(status.success());
    let pages = |folder: &Path| std::fs::read_dir(folder).expect("a folder").count();
    assert_eq!(pages(&closed), pages(&complete));
}

#[test]
fn no_folder_can_be_made_inside_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let said = fails(&file, &in_folder(&folder, "tiny.toml/results"));
    assert!(said.contains("cannot write"), "{said}");
}

/// Standard error of a run whose results are on a disk mounted with these options. None if this user may not mount one.
fn on_a_disk(options: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = write(&folder, "tiny.toml", TINY);
    let disk = folder.path().join("disk");
    std::fs::create_dir_all(&disk).expect("a folder");
    // The mount is visible only to this command and its children, and ends with them.
    let run = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c"])
        .arg("mount -t tmpfs -o \"$1\" none \"$2\" || exit 99; shift; shift; exec \"$@\"")
        .args(["sh", options])
        .arg(&disk)
        .arg(assert_cmd::cargo::cargo_bin("padwise"))
        .args(["run", &file, "--out"])
        .arg(Path::new(&disk).join("results"))
        .output();
    let refused = |code: Option<i32>| code == Some(99) || code == Some(1);
    let Some(run) = run.ok().filter(|run| !refused(run.status.code())) else {
        eprintln!("SKIPPED on_a_disk({options:?}): this user may not mount one");
        return None;
    };
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(3), "{said}");
    Some(said)
}

#[test]
fn a_disk_that_is_read_only() {
    if let Some(said) = on_a_disk("ro") {
        assert!(said.contains("cannot write"), "{said}");
        assert!(said.contains("Read-only file system"), "{said}");
    }
}

#[test]
fn a_disk_that_is_full() {
    if let Some(said) = on_a_disk("size=16k") {
        assert!(said.contains("No space left on device"), "{said}");
    }
}
