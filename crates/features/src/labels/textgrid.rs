//! Praat's TextGrid, in its long and short text formats.
//!
//! Praat reads both formats the same way: it takes free-standing numbers, quoted strings and flags in angle brackets in
//! order, and skips all other words (`xmin =`, `intervals [1]:`). This parser does the same.

use std::path::Path;

use super::alignments::{Alignments, Builder};
use super::error::LabelError;
use super::timing::nanoseconds;
use crate::files::{FileError, read_regular};
use padwise_sampler::excerpt::excerpt;

/// Maximum size of a TextGrid in bytes: days of speech.
const LARGEST_FILE: u64 = 16 << 20;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Text(String),
    Flag(String),
}

impl Alignments {
    /// Reads the tier named `tier` from the TextGrid of utterance `id`. Intervals without text are gaps.
    pub fn read_textgrid(path: impl AsRef<Path>, id: &str, tier: &str) -> Result<Self, LabelError> {
        let path = path.as_ref();
        let bytes = read_regular(path, LARGEST_FILE)?;
        let text = decode(&bytes).map_err(|reason| FileError::line(path, 1, reason))?;
        let tokens = tokens(path, &text)?;
        let mut reader = Reader {
            path,
            tokens: tokens.into_iter(),
            line: 1,
        };
        Ok(reader.textgrid(id, tier)?)
    }
}

struct Reader<'a> {
    path: &'a Path,
    tokens: std::vec::IntoIter<(u64, Token)>,
    line: u64,
}

impl Reader<'_> {
    fn textgrid(&mut self, id: &str, wanted: &str) -> Result<Alignments, FileError> {
        for expected in ["ooTextFile", "TextGrid"] {
            let found = self.text("a file type")?;
            if found != expected {
                return Err(self.fault(format!(
                    "not a TextGrid: expected `{expected}`, found `{}`",
                    excerpt(&found)
                )));
            }
        }
        self.time("a time")?;
        self.time("a time")?;
        let tiers = match self.next() {
            Some(Token::Flag(flag)) if flag == "exists" => self.count("the number of tiers")?,
            _ => 0,
        };
        let mut names = Vec::new();
        for _ in 0..tiers {
            let class = self.text("the class of a tier")?;
            let name = self.text("the name of a tier")?;
            self.time("a time")?;
            self.time("a time")?;
            let items = self.count("the number of intervals")?;
            let points = match class.as_str() {
                "IntervalTier" => false,
                "TextTier" => true,
                _ => {
                    return Err(self.fault(format!("unsupported tier class `{}`", excerpt(&class))));
                }
            };
            let mut builder = Builder::new(self.path);
            builder.utterance(id);
            for _ in 0..items {
                let start = self.time("a start time")?;
                let line = self.line;
                let end = if points {
                    start
                } else {
                    self.time("an end time")?
                };
                let text = self.text("a label")?;
                if end < start {
                    return Err(self.fault("the interval ends before it starts".into()));
                }
                if !text.trim().is_empty() {
                    builder.add(id, start, end, text.trim(), line);
                }
            }
            if name == wanted && !points {
                return Ok(builder.finish());
            }
            names.push(format!("`{}`", excerpt(&name)));
        }
        let tiers = names.join(", ");
        let (wanted, tiers) = (excerpt(wanted), excerpt(&tiers));
        let reason = format!("no interval tier `{wanted}`; available tiers: {tiers}");
        Err(FileError::content(self.path, reason))
    }

    fn next(&mut self) -> Option<Token> {
        let (line, token) = self.tokens.next()?;
        self.line = line;
        Some(token)
    }

    fn fault(&self, reason: String) -> FileError {
        FileError::line(self.path, self.line, reason)
    }

    fn expected(&self, what: &str, found: Option<Token>) -> FileError {
        self.fault(match found {
            Some(token) => {
                let token = format!("{token:?}");
                format!("expected {what}, found {}", excerpt(&token))
            }
            None => format!("expected {what}, found the end of the file"),
        })
    }

    fn text(&mut self, what: &str) -> Result<String, FileError> {
        match self.next() {
            Some(Token::Text(text)) => Ok(text),
            other => Err(self.expected(what, other)),
        }
    }

    fn time(&mut self, what: &str) -> Result<i64, FileError> {
        let token = self.next();
        match token {
            Some(Token::Number(seconds)) => nanoseconds(seconds),
            _ => None,
        }
        .ok_or_else(|| self.expected(what, token))
    }

    fn count(&mut self, what: &str) -> Result<u64, FileError> {
        match self.next() {
            Some(Token::Number(n)) if n >= 0.0 && n.fract() == 0.0 && n < 1e15 => Ok(n as u64),
            other => Err(self.expected(what, other)),
        }
    }
}

/// The text of a file in UTF-8, or in UTF-16 with a byte order mark, which Praat also writes.
fn decode(bytes: &[u8]) -> Result<String, &'static str> {
    let wide = |bytes: &[u8], number: fn([u8; 2]) -> u16| {
        let units = bytes.as_chunks().0.iter().map(|unit| number(*unit));
        let text: Result<String, _> = char::decode_utf16(units).collect();
        text.map_err(
            |_| "invalid UTF-16 after a UTF-16 byte order mark: save the file as UTF-8 in Praat",
        )
    };
    match bytes {
        [0xFE, 0xFF, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] | rest => String::from_utf8(rest.to_vec())
            .map_err(|_| "neither UTF-8 nor UTF-16: save the file as UTF-8 in Praat"),
    }
}

/// The numbers, strings and flags of a file, each with its line.
fn tokens(path: &Path, text: &str) -> Result<Vec<(u64, Token)>, FileError> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let began = line;
        match first {
            '\n' => {
                line += 1;
                rest = &rest[1..];
            }
            '"' => {
                let mut content = String::new();
                rest = &rest[1..];
                loop {
                    let Some((before, after)) = rest.split_once('"') else {
                        let reason = "unterminated quoted text";
                        return Err(FileError::line(path, began, reason));
                    };
                    content.push_str(before);
                    line += before.matches('\n').count() as u64;
                    rest = after;
                    // A quotation mark inside a text is doubled.
                    match rest.strip_prefix('"') {
                        Some(after) => {
                            content.push('"');
                            rest = after;
                        }
                        None => break,
                    }
                }
                tokens.push((began, Token::Text(content)));
            }
            '!' => rest = &rest[rest.find('\n').unwrap_or(rest.len())..],
            c if c.is_whitespace() => rest = &rest[c.len_utf8()..],
            _ => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                rest = after;
                let flag = word.strip_prefix('<').and_then(|w| w.strip_suffix('>'));
                if let Some(flag) = flag {
                    tokens.push((began, Token::Flag(flag.to_string())));
                } else if word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
                    && let Ok(number) = word.parse()
                {
                    tokens.push((began, Token::Number(number)));
                }
            }
        }
    }
    Ok(tokens)
}
