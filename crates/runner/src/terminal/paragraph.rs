//! Paragraphs of text, wrapped for a terminal.

/// The width of a line.
const WIDTH: usize = 100;

/// Breaks a text between words so that no line is wider than the tables. Words that are wider stay whole. Later lines are indented
/// by this many spaces.
pub fn paragraph(text: &str, indent: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let text = "word ".repeat(45) + &"x".repeat(120) + " end";
        let wrapped = paragraph(&text, 2);
        let lines: Vec<&str> = wrapped.lines().collect();
        assert!(
            lines
                .iter()
                .all(|line| line.chars().count() <= WIDTH || line.contains("xxx"))
        );
        assert!(lines[1..].iter().all(|line| line.starts_with("  ")));
        let words: Vec<&str> = wrapped.split_whitespace().collect();
        assert_eq!(words, text.split_whitespace().collect::<Vec<_>>());
    }
}
