//! `padwise completions`: shell completion scripts.

use clap::{Args, Command, CommandFactory};
use clap_complete::{Shell, generate};

use super::{Cli, print};
use crate::failure::Failure;

const INSTALL: &str = "\
Installation:
  bash        padwise completions bash > ~/.local/share/bash-completion/completions/padwise
  zsh         padwise completions zsh > ~/.zfunc/_padwise
              (with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc)
  fish        padwise completions fish > ~/.config/fish/completions/padwise.fish
  PowerShell  padwise completions powershell >> $PROFILE
  elvish      padwise completions elvish >> ~/.config/elvish/rc.elv

Create the folder first if it does not exist, then start a new shell.";

/// Print a completion script for your shell.
///
/// The script completes subcommands, options and their values.
#[derive(Debug, Args)]
#[command(after_help = INSTALL)]
pub struct Completions {
    /// Your shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// The command line without hidden subcommands, which the generators would complete.
fn visible() -> Command {
    let command = Cli::command();
    let subcommands = command.get_subcommands().cloned();
    Command::new("padwise")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommands(subcommands.filter(|subcommand| !subcommand.is_hide_set()))
}

impl Completions {
    /// Prints the script.
    pub fn run(&self) -> Result<(), Failure> {
        // The generator panics if it cannot write, so it writes to memory.
        let mut script = Vec::new();
        generate(self.shell, &mut visible(), "padwise", &mut script);
        print(&String::from_utf8_lossy(&script))
    }
}
