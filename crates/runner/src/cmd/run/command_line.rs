//! The command line of a run, for messages that say how to repeat or resume it.

use std::path::{Path, PathBuf};

use super::Run;

impl Run {
    /// This command line with another results folder, quoted for a shell.
    pub(super) fn command(&self, folder: &Path, resume: bool) -> String {
        let program = std::env::args_os().next().map(PathBuf::from);
        let program = quoted(program.as_deref().unwrap_or(Path::new("padwise")));
        let mut words = vec![program, "run".to_owned()];
        words.extend(self.config.as_deref().map(quoted));
        for set in &self.sets {
            words.extend(["--set".to_owned(), quoted(Path::new(set))]);
        }
        words.extend(["--out".to_owned(), quoted(folder)]);
        for (passed, option) in [(self.no_verify, "--no-verify"), (self.force, "--force")] {
            words.extend(passed.then(|| option.to_owned()));
        }
        if resume {
            words.push("--resume".into());
        }
        words.join(" ")
    }
}

/// Quotes a word for a shell.
fn quoted(text: &Path) -> String {
    let text = text.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
