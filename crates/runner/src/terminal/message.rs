//! Messages on standard error.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use padwise_sampler::excerpt::is_unprintable;

/// Prints a message with the program's name to standard error. Characters that would change the terminal are escaped, because a
/// message may quote a file.
///
/// A message that cannot be printed, for example because the terminal was closed, must not end the program as `eprintln!` would.
pub fn say(message: impl AsRef<str>) {
    let _ = writeln!(io::stderr(), "padwise: {}", printable(message.as_ref()));
}

/// The text with all unprintable characters escaped, except line breaks.
fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        // Writing to a string cannot fail.
        let _ = match is_unprintable(c) && c != '\n' {
            true => write!(shown, "{}", c.escape_default()),
            false => write!(shown, "{c}"),
        };
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_change_the_terminal() {
        let text = printable("a\nb \u{1b}[31m\u{202e}c");
        assert_eq!(text, "a\nb \\u{1b}[31m\\u{202e}c");
    }
}
