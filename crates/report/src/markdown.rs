//! Escapes names and sentences for Markdown, so that they are shown as written.

use padwise_sampler::excerpt::is_unprintable;

/// Escapes text that Markdown would read as markup: HTML tags, code, emphasis, links, headings, quotes and lists.
///
/// A line break becomes a space. Only characters that have an effect at their place are escaped: `p < 0.05` stays as it is.
pub(crate) fn escaped(text: &str) -> String {
    let text = visible(text);
    let characters: Vec<char> = text.chars().collect();
    let mut shown = String::with_capacity(text.len());
    for (at, &c) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(at + 1).copied();
        let is = |neighbour: Option<char>, test: fn(char) -> bool| neighbour.is_some_and(test);
        let has_effect = match c {
            '`' | '*' | '[' | ']' | '~' => true,
            '<' => is(after, |c| c.is_ascii_alphabetic() || "/!?".contains(c)),
            '&' => is(after, |c| c.is_ascii_alphanumeric() || c == '#'),
            '\\' => is(after, |c| c.is_ascii_punctuation()),
            // Inside a word an underscore is plain.
            '_' => !is(before, char::is_alphanumeric) || !is(after, char::is_alphanumeric),
            '#' | '>' | '=' => at == 0,
            '-' | '+' => at == 0 && !is(after, |c| c.is_ascii_digit()),
            '.' | ')' => {
                let number = &characters[..at];
                !number.is_empty() && number.iter().all(char::is_ascii_digit) && after == Some(' ')
            }
            _ => false,
        };
        if has_effect {
            shown.push('\\');
        }
        shown.push(c);
    }
    shown
}

/// Escapes a cell of a table, where a bar ends the cell. A cell in backticks stays code.
pub(crate) fn escaped_cell(cell: &str) -> String {
    let code = cell
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'));
    match code {
        Some(code) if !code.is_empty() && !code.contains('`') => visible(cell).replace('|', "\\|"),
        _ => escaped(cell).replace('|', "\\|"),
    }
}

/// Text on one line: line breaks and tabs become spaces, other unprintable characters `�`.
pub(crate) fn visible(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
        c if is_unprintable(c) => '\u{fffd}',
        c => c,
    };
    text.chars().filter(|&c| c != '\r').map(shown).collect()
}

/// A block of code, in a fence longer than any in the code.
pub(crate) fn code_block(language: &str, code: &str) -> String {
    let runs = code.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0).max(2) + 1);
    format!("{fence}{language}\n{code}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_plain_text_is_not() {
        for plain in [
            "semi-sorted:lrf=0.1,shuffle-batches",
            "p < 0.001",
            "1 bin: long last (2 failed)",
            "−0.25 to +1.0",
            "+1.0",
            "s to 1.200 & more",
            "batch_size",
            "a # b > c",
        ] {
            assert_eq!(escaped(plain), plain);
        }
        for (text, expected) in [
            ("<script>", "\\<script>"),
            ("</b>", "\\</b>"),
            ("<!-- end -->", "\\<!-- end -->"),
            ("`rm`", "\\`rm\\`"),
            ("**bold** _it_", "\\*\\*bold\\*\\* \\_it\\_"),
            ("![x](y)", "!\\[x\\](y)"),
            ("# title", "\\# title"),
            ("- item", "\\- item"),
            ("1. item", "1\\. item"),
            ("&lt;b", "\\&lt;b"),
            ("a\nb\u{1b}[2J\u{202e}", "a b\u{fffd}\\[2J\u{fffd}"),
        ] {
            assert_eq!(escaped(text), expected);
        }
        assert_eq!(escaped_cell("a|b"), "a\\|b");
        assert_eq!(escaped_cell("`a_|_b`"), "`a_\\|_b`");
        assert_eq!(escaped_cell("`a`b`"), "\\`a\\`b\\`");
        assert_eq!(code_block("sh", "ls"), "```sh\nls\n```\n");
        assert_eq!(code_block("sh", "```"), "````sh\n```\n````\n");
    }
}
