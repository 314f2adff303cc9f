//! Lines of a file, whatever ends them: `\n`, `\r\n`, or `\r` alone as old spreadsheets write it.

/// One line, without the whitespace around it.
pub(super) struct Line<'a> {
    /// From 1.
    pub number: u64,
    /// Where it starts in the file.
    pub start: usize,
    pub trimmed: &'a [u8],
}

/// Every line of a file.
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

/// The number of the line that the first character at or after this offset stands on, line ends aside.
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
    fn every_kind_of_line_end_is_one() {
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
        // From the end of one line, the next that has something on it.
        assert_eq!(line_at(text, 1), 2);
        assert_eq!(line_at(text, 8), 7);
        assert_eq!(line_at(text, 1000), 7);
        assert_eq!(lines(b"").count(), 0);
    }
}
