//! The lines of a file, which may end in `\n`, `\r\n` or `\r`.

/// A line without leading and trailing whitespace.
pub(super) struct Line<'a> {
    /// The line number, from 1.
    pub number: u64,
    /// The byte offset of its start.
    pub start: usize,
    pub trimmed: &'a [u8],
}

/// All lines of a file.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    let mut number = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        let rest = &text[start..];
        let length = rest.iter().position(|b| matches!(b, b'\n' | b'\r'));
        let length = length.unwrap_or(rest.len());
        number += 1;
        let line = Line {
            number,
            start,
            trimmed: rest[..length].trim_ascii(),
        };
        start += length
            + if rest[length..].starts_with(b"\r\n") {
                2
            } else {
                1
            };
        Some(line)
    })
}

/// The line number of the first character at or after this offset that is not a line end.
pub(super) fn line_at(text: &[u8], offset: usize) -> u64 {
    let mut offset = offset.min(text.len());
    while let Some(b'\n' | b'\r') = text.get(offset) {
        offset += 1;
    }
    let before = &text[..offset];
    let ends = before.iter().enumerate().filter(|&(i, &byte)| match byte {
        b'\n' => true,
        b'\r' => before.get(i + 1) != Some(&b'\n'),
        _ => false,
    });
    1 + ends.count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_line_ends_count() {
        let text = b"a\nb\r\nc\rd\n\n\r\ne";
        let found: Vec<(u64, &[u8])> = lines(text).map(|l| (l.number, l.trimmed)).collect();
        let expected: [(u64, &[u8]); 7] = [
            (1, b"a"),
            (2, b"b"),
            (3, b"c"),
            (4, b"d"),
            (5, b""),
            (6, b""),
            (7, b"e"),
        ];
        assert_eq!(found, expected);
        for line in lines(text).filter(|line| !line.trimmed.is_empty()) {
            assert_eq!(line_at(text, line.start), line.number);
        }
        // At a line end: the next line that is not empty.
        assert_eq!(line_at(text, 1), 2);
        assert_eq!(line_at(text, 8), 7);
        assert_eq!(line_at(text, 1000), 7);
        assert_eq!(lines(b"").count(), 0);
    }
}
