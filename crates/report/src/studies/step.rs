//! Time of one training step compared with PyTorch, from the measurements of `scripts/bench_step.py`.

use std::path::Path;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::record::{MAX_TABLE_BYTES, ReadError, text_of, without_place};
use crate::statistics::median;
use crate::tables::TextTable;
use crate::text::{precision as shown_precision, with_thousands};

/// Bidirectional layers of the timed model.
const LAYERS: f64 = 3.0;

/// One measurement.
#[derive(Deserialize)]
struct Line {
    who: String,
    backend: String,
    recurrence: String,
    precision: String,
    #[serde(deserialize_with = "whole_number")]
    frames: u64,
    #[serde(deserialize_with = "whole_number")]
    batch: u64,
    #[serde(deserialize_with = "whole_number")]
    hidden: u64,
    steps_s: Vec<f64>,
    #[serde(default)]
    peak_bytes: Option<u64>,
    #[serde(default)]
    launches: Option<u64>,
    #[serde(default)]
    parts_s: Map<String, Value>,
}

impl Line {
    fn shape(&self) -> [u64; 3] {
        [self.frames, self.batch, self.hidden]
    }
}

/// Reads a number that may be a string, because shapes are recorded as given on the command line.
fn whole_number<'de, D: Deserializer<'de>>(value: D) -> Result<u64, D::Error> {
    let value = Value::deserialize(value)?;
    let text = value.as_str().and_then(|text| text.parse().ok());
    text.or(value.as_u64())
        .ok_or_else(|| serde::de::Error::custom(format!("`{value}` is not a whole number")))
}

fn read(path: &Path) -> Result<Vec<Line>, ReadError> {
    let text = text_of(path, MAX_TABLE_BYTES)?;
    let lines = (1..).zip(text.lines()).map(|(line, text)| {
        serde_json::from_str(text).map_err(|error| ReadError::Line {
            path: path.into(),
            line,
            problem: without_place(&error),
        })
    });
    lines.collect()
}

/// Groups lines by a key, in the order of first appearance.
fn grouped<'a, K: PartialEq>(
    lines: impl IntoIterator<Item = &'a Line>,
    key: impl Fn(&'a Line) -> K,
) -> Vec<(K, Vec<&'a Line>)> {
    let mut groups: Vec<(K, Vec<&Line>)> = Vec::new();
    for line in lines {
        let own = key(line);
        match groups.iter_mut().find(|(known, _)| *known == own) {
            Some((_, group)) => group.push(line),
            None => groups.push((own, vec![line])),
        }
    }
    groups
}

/// The text before the first occurrence of `end`.
fn before<'a>(text: &'a str, end: &str) -> &'a str {
    text.split(end).next().unwrap_or(text)
}

/// Median time per step over all rounds, and the speed-up over the fastest PyTorch variant for the same shape.
pub fn step_times(path: &Path) -> Result<TextTable, ReadError> {
    let lines = read(path)?;
    let groups = grouped(&lines, |line| {
        let names = [&line.who, &line.backend, &line.recurrence, &line.precision];
        (line.shape(), names)
    });
    let seconds = |group: &[&Line]| {
        let steps = group.iter().flat_map(|line| line.steps_s.iter().copied());
        median(&steps.collect::<Vec<_>>())
    };
    let mut table = TextTable::new([
        "T",
        "B",
        "H",
        "program",
        "backend",
        "recurrence",
        "precision",
        "ms/step",
        "speed-up over PyTorch",
        "frames/s",
        "peak GiB",
        "launches per frame and layer",
    ]);
    for ((shape, [who, backend, recurrence, precision]), group) in &groups {
        let own = seconds(group);
        let pytorch = groups
            .iter()
            .filter(|((other, [who, ..]), _)| other == shape && who.starts_with("PyTorch"));
        let best = pytorch.map(|(_, group)| seconds(group)).reduce(f64::min);
        let [frames, batch, _] = shape.map(|number| number as f64);
        let peak = group[0].peak_bytes.filter(|bytes| *bytes > 0);
        let launches = group[0].launches.filter(|launches| *launches > 0);
        let or_empty = |number: Option<f64>, decimals: usize| {
            number.map_or(String::new(), |number| format!("{number:.decimals$}"))
        };
        let mut cells = shape.map(|number| number.to_string()).to_vec();
        cells.extend([
            (*who).clone(),
            (*backend).clone(),
            before(recurrence, " (").to_owned(),
            shown_precision(before(before(precision, " ("), ",")),
            format!("{:.1}", own * 1e3),
            or_empty(best.map(|best| best / own), 2),
            with_thousands(&format!("{:.0}", frames * batch / own)),
            or_empty(peak.map(|bytes| bytes as f64 / f64::from(1 << 30)), 2),
            or_empty(launches.map(|n| n as f64 / (frames * LAYERS)), 3),
        ]);
        table.add_row(cells);
    }
    Ok(table)
}

/// Time of each part of our training step, with a device synchronisation between parts.
pub fn step_parts(path: &Path) -> Result<TextTable, ReadError> {
    let lines = read(path)?;
    let profiled = || lines.iter().filter(|line| !line.parts_s.is_empty());
    let mut names: Vec<&String> = Vec::new();
    for name in profiled().flat_map(|line| line.parts_s.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let titles = ["T", "B", "H", "backend", "recurrence", "precision"].map(str::to_owned);
    let parts = names.iter().map(|name| match name.as_str() {
        // Records keep the name that they had first.
        "products" => "GEMMs ms".to_owned(),
        name => format!("{} ms", name.replace('-', " ")),
    });
    let mut table = TextTable::new(titles.into_iter().chain(parts));
    let groups = grouped(profiled(), |line| {
        let names = [&line.backend, &line.recurrence, &line.precision];
        (line.shape(), names.map(|name| before(name, " (")))
    });
    for ((shape, [backend, recurrence, precision]), group) in groups {
        let mut cells = shape.map(|number| number.to_string()).to_vec();
        cells.extend([backend.to_owned(), recurrence.to_owned()]);
        cells.push(shown_precision(precision));
        cells.extend(names.iter().map(|name| {
            let seconds = group.iter().map(|line| {
                let part = line.parts_s.get(*name);
                part.and_then(Value::as_f64).unwrap_or(0.0)
            });
            format!("{:.2}", 1e3 * median(&seconds.collect::<Vec<_>>()))
        }));
        table.add_row(cells);
    }
    Ok(table)
}
