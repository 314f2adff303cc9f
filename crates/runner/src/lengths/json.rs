//! Reads lengths from a manifest of JSON lines.

use padwise_features::layouts::{RowSelection, json_object, json_text};
use padwise_sampler::excerpt::excerpt;

use super::LengthsError;
use super::id_column::{IdReading, is_text};
use super::lines::lines;
use super::reading::Reading;
use super::selection::{IdsWanted, Selection};

/// Reads the lengths. The first line determines the column.
pub(super) fn read(
    text: &[u8],
    file: &str,
    selection: &Selection,
) -> Result<Reading, LengthsError> {
    let mut rows = RowSelection::new(&selection.filters);
    let mut reading: Option<Reading> = None;
    for line in lines(text).filter(|line| !line.trimmed.is_empty()) {
        let at_line = |problem: String| LengthsError::line(file, line.number, problem);
        let text = std::str::from_utf8(line.trimmed).map_err(|_| at_line("not UTF-8".into()))?;
        let object = json_object(text).map_err(at_line)?;
        let names: Vec<&str> = object.keys().map(String::as_str).collect();
        let reading = match &mut reading {
            Some(reading) => reading,
            None => {
                let column = selection.find(&names).map_err(at_line)?;
                let new = reading.insert(Reading::new(Some(names[column.index]), column.unit));
                if let IdsWanted::Yes(wanted) = selection.ids {
                    let text = |at: usize| object.get(names[at])?.as_str().map(is_text);
                    let text = |at| text(at).unwrap_or(false);
                    let ids = IdReading::choose(wanted, &names, column.index, text);
                    new.ids = Some(ids.map_err(at_line)?);
                }
                new
            }
        };
        if !rows.accepts(|_, column| json_text(object.get(column)?)) {
            continue;
        }
        let column = reading.column.clone().unwrap_or_default();
        let length = object.get(&column).and_then(json_text);
        let length = length.ok_or_else(|| at_line(format!("no `{}`", excerpt(&column))))?;
        let kept = reading.add(&length, selection).map_err(at_line)?;
        if let (true, Some(ids)) = (kept, &mut reading.ids) {
            let id = ids.column().and_then(|column| object.get(column));
            let id = id.and_then(json_text);
            ids.add(rows.rows() - 1, id.as_deref().map(str::as_bytes))
                .map_err(at_line)?;
        }
    }
    let reading = reading.unwrap_or_default();
    if reading.is_empty() {
        return Err(LengthsError::file(
            file,
            format!(": {}", rows.nothing_left()),
        ));
    }
    reading.finish(file, selection)
}
