//! Finds the blocks of a document.

use std::ops::Range;

use padwise_sampler::excerpt::excerpt;

const BEGIN: &str = "<!-- from ";
const CLOSE: &str = " -->";
const END: &str = "<!-- end -->";

/// A marked block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block<'a> {
    /// The source of its content.
    pub source: &'a str,
    /// The range of its content in the text.
    pub content: Range<usize>,
    /// Whether it consists of whole lines.
    pub is_lines: bool,
    /// The line of its first marker, from 1.
    pub line: usize,
}

/// The blocks of a text, or the line and description of a malformed one.
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
                "unclosed block marker: write `<!-- from FILE -->` on one line".into(),
            ));
        };
        let source = &rest[..length];
        let line_begins = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let has_text_after = first_line.len() > length + CLOSE.len();
        if let Some(problem) = broken_by_markdown(&text[line_begins..start], source, has_text_after)
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
                format!(
                    "the block from `{}` is not closed: add `{END}`",
                    excerpt(source)
                ),
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

/// Describes how Markdown would misread a marker at this place: `before` is the text before it on its line.
fn broken_by_markdown(before: &str, source: &str, has_text_after: bool) -> Option<String> {
    if before.starts_with('|') && source.contains('|') {
        return Some(format!(
            "`{}` is inside a table, where `|` ends the cell: use `;` instead",
            excerpt(source)
        ));
    }
    (before.trim().is_empty() && has_text_after).then(|| {
        format!(
            "the block from `{}` is at the start of a line of text, which Markdown reads as HTML: put a word before it",
            excerpt(source)
        )
    })
}

/// Whether a place is inside a code fence or directly after a backtick.
fn is_quoted(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let fences = before
        .lines()
        .filter(|line| line.trim_start().starts_with("```"));
    before.ends_with('`') || fences.count() % 2 == 1
}
