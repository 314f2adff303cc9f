//! Messages on standard error.

use std::io::{self, Write};

/// Prints a message with the program's name to standard error.
///
/// A message that cannot be printed, for example because the terminal was closed, must not end the program as `eprintln!` would.
pub fn say(message: impl AsRef<str>) {
    let _ = writeln!(io::stderr(), "padwise: {}", message.as_ref());
}
