//! Tables of a key and the rest of the line: `utt2spk`, `text`, `wav.scp`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::KaldiError;

/// The lines of a table: line number, key, rest. A key may come once.
pub(super) fn read_lines(path: &Path) -> Result<Vec<(usize, String, String)>, KaldiError> {
    let file = File::open(path).map_err(KaldiError::io(path))?;
    let mut lines = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (number, line) in (1..).zip(BufReader::new(file).lines()) {
        let fault = |reason: String| KaldiError::Line {
            path: path.to_path_buf(),
            line: number,
            reason,
        };
        let line = line.map_err(|error| fault(error.to_string()))?;
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let (key, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if let Some(earlier) = seen.insert(key.to_string(), number) {
            return Err(fault(format!("{key} is on line {earlier} already")));
        }
        lines.push((number, key.to_string(), rest.trim_start().to_string()));
    }
    Ok(lines)
}

/// A table as a map from keys to the rest of their lines.
pub fn read_table(path: impl AsRef<Path>) -> Result<HashMap<String, String>, KaldiError> {
    let lines = read_lines(path.as_ref())?;
    Ok(lines
        .into_iter()
        .map(|(_, key, rest)| (key, rest))
        .collect())
}
