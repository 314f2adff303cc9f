//! Help texts, completions and man pages: every command and every option is documented.

use clap::{Command, CommandFactory};
use padwise::cmd::Cli;

use crate::common::{in_folder, padwise, succeeds};

/// Every visible command with its full name, subcommands included.
fn commands() -> Vec<(String, Command)> {
    fn add(name: &str, command: &Command, all: &mut Vec<(String, Command)>) {
        all.push((name.to_owned(), command.clone()));
        for below in command
            .get_subcommands()
            .filter(|below| !below.is_hide_set())
        {
            add(&format!("{name} {}", below.get_name()), below, all);
        }
    }
    let mut all = Vec::new();
    add("padwise", &Cli::command(), &mut all);
    all
}

#[test]
fn every_command_has_a_short_description() {
    let commands = commands();
    assert!(commands.len() >= 14, "{}", commands.len());
    for (name, command) in commands {
        let about = command.get_about().unwrap_or_default().to_string();
        let length = about.chars().count();
        assert!((1..70).contains(&length), "{name}: {about:?}");
        let examples = command.get_after_help().unwrap_or_default().to_string();
        let lines = examples.lines().filter(|line| line.starts_with("  "));
        let lines = lines.filter(|line| line.contains("padwise "));
        assert!(lines.count() >= 2, "{name} has too few examples");
    }
}

#[test]
fn every_option_has_help() {
    for (name, command) in commands() {
        for argument in command.get_arguments() {
            let help = argument.get_help().unwrap_or_default().to_string();
            assert!(!help.is_empty(), "{name}: {}", argument.get_id());
            assert!(
                help.chars().count() <= 110,
                "{name}: {}: move a part of the help to its second paragraph",
                argument.get_id()
            );
        }
    }
}

/// Examples must be copied, so no line is wrapped in a terminal of 80 columns.
#[test]
fn examples_fit_80_columns() {
    for (name, command) in commands() {
        let examples = command.get_after_help().unwrap_or_default().to_string();
        for line in examples
            .lines()
            .filter(|line| line.starts_with("  padwise"))
        {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
    }
}

#[test]
fn the_help_of_analyze_has_the_grammar_and_the_columns() {
    let help = succeeds(&["analyze", "--help"]);
    for word in [
        "semi-sorted:lrf=",
        "bucketed:optimal=",
        "dynamic-overshoot",
        "shuffle-batches",
        "pad=multiple:",
        "min-chunk",
    ] {
        assert!(help.contains(word), "{word}: {help}");
    }
    for column in ["ZPR %", "ABL", "padding %", "repeat pairs", "autocorr."] {
        assert!(help.contains(&format!("\n  {column} ")), "{column}: {help}");
    }
    assert!(
        help.lines().all(|line| line.chars().count() <= 100),
        "{help}"
    );
}

/// Every command that prints a table explains its columns, in at most 100 characters per line.
#[test]
fn commands_with_tables_explain_their_columns() {
    for command in [
        &["analyze"][..],
        &["run"],
        &["compare"],
        &["bench", "step"],
        &["bench", "epoch"],
    ] {
        let help = succeeds(&[command, &["--help"]].concat());
        let (_, columns) = help.split_once("\nColumns:\n").expect("columns");
        assert!(columns.lines().count() >= 5, "{command:?}: {columns}");
        assert!(
            columns.lines().all(|line| line.chars().count() <= 100),
            "{command:?}: {columns}"
        );
    }
}

#[test]
fn completions_mention_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = succeeds(&["completions", shell]);
        for (name, _) in commands() {
            let last = name.split(' ').next_back().unwrap_or_default();
            assert!(script.contains(last), "{shell}: {name}");
        }
        assert!(!script.contains("worker"), "{shell}");
    }
}

#[test]
fn bash_accepts_its_completions() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = in_folder(&folder, "padwise.bash");
    std::fs::write(&file, succeeds(&["completions", "bash"])).expect("a writable folder");
    match std::process::Command::new("bash")
        .args(["-n", &file])
        .status()
    {
        Ok(status) => assert!(status.success()),
        Err(error) => eprintln!("SKIPPED bash_accepts_its_completions: {error}"),
    }
}

#[test]
fn man_pages_cover_every_command() {
    let page = succeeds(&["man"]);
    assert!(page.contains(".SH NAME"), "{page}");
    let folder = tempfile::tempdir().expect("a folder");
    let out = in_folder(&folder, "man1");
    let written = succeeds(&["man", "--out", &out]);
    let commands = commands();
    assert_eq!(written.lines().count(), commands.len(), "{written}");
    for (name, command) in commands {
        let name = name.replace(' ', "-");
        let path = std::path::Path::new(&out).join(format!("{name}.1"));
        let text = std::fs::read_to_string(&path).expect("a page");
        let title = format!("{} \\- ", name.replace('-', "\\-"));
        assert!(
            text.contains(".SH NAME") && text.contains(&title),
            "{name}: {text}"
        );
        if name.matches('-').count() == 1 {
            let subcommand = format!("padwise\\-{}(1)", command.get_name());
            assert!(page.contains(&subcommand), "{name}: {page}");
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = crate::common::write(&folder, "file", "");
    let assert = padwise().args(["man", "--out", &file]).assert().code(3);
    let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(message.contains("cannot create"), "{message}");
}
