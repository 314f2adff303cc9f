//! `padwise man`: man pages.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man as Page;

use super::{Cli, print, print_path};
use crate::failure::Failure;

const INSTALL: &str = "\
Examples:
  padwise man | man -l -                          # read padwise(1)
  padwise man --out ~/.local/share/man/man1       # install all pages
  man padwise-run                                 # read about one command";

/// Print the man page, or write one page per command.
///
/// Without --out, prints padwise(1). With --out, writes padwise.1, padwise-analyze.1 and so on.
#[derive(Debug, Args)]
#[command(after_help = INSTALL)]
pub struct Man {
    /// Write all pages to this folder [default: print padwise(1)]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Man {
    /// Prints the main page, or writes all pages and prints their paths.
    pub fn run(&self) -> Result<(), Failure> {
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        let Some(folder) = &self.out else {
            let page = rendered(command).map_err(Failure::runtime)?;
            return print(&String::from_utf8_lossy(&page));
        };
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))
            .map_err(Failure::Runtime)?;
        write_pages(command, "padwise", folder)
    }
}

/// Writes the page of a command and those of its subcommands.
fn write_pages(command: Command, name: &str, folder: &Path) -> Result<(), Failure> {
    let below: Vec<Command> = command.get_subcommands().cloned().collect();
    let path = folder.join(format!("{name}.1"));
    // The title of a page is "padwise-run", not "padwise run".
    let page = rendered(command.display_name(name.to_owned())).map_err(Failure::runtime)?;
    std::fs::write(&path, page)
        .with_context(|| format!("cannot write {}", path.display()))
        .map_err(Failure::Runtime)?;
    print_path(&path)?;
    for command in below.into_iter().filter(|command| !command.is_hide_set()) {
        let name = format!("{name}-{}", command.get_name());
        write_pages(command, &name, folder)?;
    }
    Ok(())
}

fn rendered(command: Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let version = concat!("padwise ", env!("CARGO_PKG_VERSION"));
    Page::new(command).source(version).render(&mut page)?;
    Ok(page)
}
