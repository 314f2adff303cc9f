//! Reads the small text files of `padwise decode`: names of classes, numbers per class, and transcripts.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use padwise_features::FileError;
use padwise_features::files::read_text;
use padwise_sampler::excerpt::excerpt;

/// Maximum size of a list in bytes.
const LARGEST_LIST: u64 = 16 << 20;

/// Maximum size of a file of transcripts in bytes.
const LARGEST_TRANSCRIPTS: u64 = 1 << 30;

/// The space in a list of symbols, where it would be invisible.
const SPACE: &str = "<space>";

fn at(path: &Path, line: usize, reason: String) -> FileError {
    FileError::Line {
        path: path.into(),
        line: line as u64,
        reason,
    }
}

/// The parts of a text between white space, each with the number of its line.
fn parts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines());
    lines.flat_map(|(line, text)| text.split_whitespace().map(move |part| (line, part)))
}

/// Reads names that are separated by white space. `<space>` is a space.
pub fn read_names(path: &Path) -> Result<Vec<String>, FileError> {
    parse_names(path, &read_text(path, LARGEST_LIST)?)
}

/// The names in `text`, the content of a file.
pub fn parse_names(path: &Path, text: &str) -> Result<Vec<String>, FileError> {
    let (mut names, mut seen) = (Vec::new(), HashSet::new());
    for (line, name) in parts(text) {
        if !seen.insert(name) {
            let reason = format!("`{}` is listed twice: remove one", excerpt(name));
            return Err(at(path, line, reason));
        }
        names.push(if name == SPACE { " " } else { name }.to_owned());
    }
    if names.is_empty() {
        let (path, reason) = (path.into(), "no names: list one per class".into());
        return Err(FileError::Content { path, reason });
    }
    Ok(names)
}

/// Reads `count` numbers above zero that are separated by white space. `what` they are is for the message.
pub fn read_numbers(path: &Path, count: usize, what: &str) -> Result<Vec<f64>, FileError> {
    parse_numbers(path, &read_text(path, LARGEST_LIST)?, count, what)
}

/// The numbers in `text`, the content of a file.
pub fn parse_numbers(
    path: &Path,
    text: &str,
    count: usize,
    what: &str,
) -> Result<Vec<f64>, FileError> {
    let numbers = parts(text).map(|(line, part)| match part.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => {
            let reason = format!("`{}`: expected a number above 0", excerpt(part));
            Err(at(path, line, reason))
        }
    });
    let numbers: Vec<f64> = numbers.collect::<Result<_, _>>()?;
    if numbers.len() != count {
        let reason = format!(
            "{} numbers, but there are {count} classes: give the {what} of each",
            numbers.len()
        );
        let path = path.into();
        return Err(FileError::Content { path, reason });
    }
    Ok(numbers)
}

/// Reads the transcripts of utterances: on each line an id and its text.
pub fn read_transcripts(path: &Path) -> Result<HashMap<String, String>, FileError> {
    parse_transcripts(path, &read_text(path, LARGEST_TRANSCRIPTS)?)
}

/// The transcripts in `text`, the content of a file.
pub fn parse_transcripts(path: &Path, text: &str) -> Result<HashMap<String, String>, FileError> {
    let mut transcripts = HashMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        // An id with spaces needs a tab after it.
        let parts = line
            .split_once('\t')
            .or_else(|| line.trim_start().split_once(char::is_whitespace));
        let (id, text) = parts.unwrap_or((line, ""));
        let (id, text) = (id.trim(), text.trim());
        if id.is_empty() {
            let reason = "no id: a line is the id of an utterance and its words".into();
            return Err(at(path, number, reason));
        }
        if transcripts.insert(id.to_owned(), text.to_owned()).is_some() {
            let reason = format!("a second transcript of {}: remove one", excerpt(id));
            return Err(at(path, number, reason));
        }
    }
    Ok(transcripts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> &'static Path {
        Path::new("a.txt")
    }

    #[test]
    fn names_are_separated_by_any_white_space() {
        let names = parse_names(path(), "SIL  A\nB\r\n\n<space>\n").expect("names");
        assert_eq!(names, ["SIL", "A", "B", " "]);
        let error = parse_names(path(), "SIL\nA B\nA").expect_err("twice");
        assert_eq!(
            error.to_string(),
            "a.txt:3: `A` is listed twice: remove one"
        );
        let error = parse_names(path(), " \n").expect_err("empty");
        assert_eq!(error.to_string(), "a.txt: no names: list one per class");
    }

    #[test]
    fn numbers_are_above_zero_and_one_per_class() {
        let numbers = parse_numbers(path(), "1 2.5\n3e1\n", 3, "duration");
        assert_eq!(numbers.expect("numbers"), [1.0, 2.5, 30.0]);
        let wrong = |text: &str| {
            parse_numbers(path(), text, 2, "duration")
                .expect_err("wrong")
                .to_string()
        };
        for part in ["0", "-1", "NaN", "inf", "one"] {
            let expected = format!("a.txt:2: `{part}`: expected a number above 0");
            assert_eq!(wrong(&format!("1\n{part}")), expected);
        }
        assert_eq!(
            wrong("1"),
            "a.txt: 1 numbers, but there are 2 classes: give the duration of each"
        );
    }

    #[test]
    fn transcripts_follow_a_space_or_a_tab() {
        let text = "u1 ONE two\nu 2\tthree\n\nu3\n";
        let found = parse_transcripts(path(), text).expect("transcripts");
        assert_eq!(found["u1"], "ONE two");
        assert_eq!(found["u 2"], "three");
        assert_eq!(found["u3"], "");
        let wrong = |text| {
            parse_transcripts(path(), text)
                .expect_err("wrong")
                .to_string()
        };
        assert_eq!(
            wrong("u1 a\nu1 b"),
            "a.txt:2: a second transcript of u1: remove one"
        );
        assert!(wrong("\ttext").starts_with("a.txt:1: no id"));
    }
}
