//! Finding the blocks of a document.

use std::ops::Range;

const BEGIN: &str = "<!-- from ";
const CLOSE: &str = " -->";
const END: &str = "<!-- end -->";

/// A marked block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block<'a> {
    /// Where its content is from.
    pub source: &'a str,
    /// Where in the text the content is.
    pub content: Range<usize>,
    /// Whether it is whole lines.
    pub is_lines: bool,
    /// The line that it begins in, from 1.
    pub line: usize,
}

/// The blocks of a text, or the line of one that has no end.
pub(super) fn blocks(text: &str) -> Result<Vec<Block<'_>>, (usize, String)> {
    let mut blocks = Vec::new();
    let mut from = 0;
    while let Some(found) = text[from..].find(BEGIN) {
        let start = from + found;
        from = start + BEGIN.len();
        if is_quoted(text, start) {
            continue;
        }
        let line = text[..start].matches('\n').count() + 1;
        let rest = &text[from..];
        let first_line = rest.split('\n').next().unwrap_or_default();
        let Some(length) = first_line.find(CLOSE) else {
            return Err((
                line,
                "a block's first comment has no end: write `<!-- from FILE -->` in one line".into(),
            ));
        };
        let source = &rest[..length];
        let line_begins = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let has_text_behind = first_line.len() > length + CLOSE.len();
        if let Some(problem) =
            broken_by_markdown(&text[line_begins..start], source, has_text_behind)
        {
            return Err((line, problem));
        }
        let mut begins = from + length + CLOSE.len();
        let is_lines = text[begins..].starts_with('\n');
        if is_lines {
            begins += 1;
        }
        let next = text[begins..].find(BEGIN).map(|at| begins + at);
        let end = text[begins..].find(END).map(|at| begins + at);
        let Some(end) = end.filter(|&end| next.is_none_or(|next| end < next)) else {
            return Err((
                line,
                format!("the block from `{source}` has no end: close it with `{END}`"),
            ));
        };
        blocks.push(Block {
            source: source.trim(),
            content: begins..end,
            is_lines,
            line,
        });
        from = end + END.len();
    }
    Ok(blocks)
}

/// What Markdown would make of a comment behind `before` in its line, where that is not what was meant.
fn broken_by_markdown(before: &str, source: &str, has_text_behind: bool) -> Option<String> {
    if before.starts_with('|') && source.contains('|') {
        return Some(format!(
            "`{source}` stands in a table, whose cell would end at its `|`: separate with `;`"
        ));
    }
    (before.trim().is_empty() && has_text_behind).then(|| {
        format!(
            "the block from `{source}` begins a line of text, which Markdown would not take for text: put a word before it"
        )
    })
}

/// Whether a place is in a fence, or just behind a backtick.
fn is_quoted(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let fences = before
        .lines()
        .filter(|line| line.trim_start().starts_with("```"));
    before.ends_with('`') || fences.count() % 2 == 1
}
