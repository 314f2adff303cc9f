//! The `padwise` command: flags in, exit code out. Everything else is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    padwise::main()
}
