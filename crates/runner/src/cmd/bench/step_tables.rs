//! The tables of `padwise bench step`: times, and the share of each phase.

use padwise_model::benchmark::StepTimes;
use padwise_report::tables::TextTable;
use padwise_report::text::{NOTHING, with_thousands};

use crate::terminal::memory;

/// A column of the table of times.
struct Column {
    title: &'static str,
    meaning: &'static str,
    /// Whether the terminal shows it only with `--wide`.
    wide: bool,
    cell: fn(&StepTimes) -> String,
}

const fn column(
    title: &'static str,
    meaning: &'static str,
    wide: bool,
    cell: fn(&StepTimes) -> String,
) -> Column {
    Column {
        title,
        meaning,
        wide,
        cell,
    }
}

const COLUMNS: [Column; 16] = [
    column("backend", "cpu, wgpu or cuda", false, |times| {
        times.description.backend.to_string()
    }),
    column(
        "recurrence",
        "implementation of the recurrence",
        false,
        |times| times.description.recurrence.clone(),
    ),
    column(
        "precision",
        "precision of the matrix multiplications",
        false,
        |times| times.description.precision.clone(),
    ),
    column("padding", "how the batch is stored", false, |times| {
        times.padding.to_string()
    }),
    column("T", "frames per utterance", false, |times| {
        times.frames.to_string()
    }),
    column("B", "utterances per batch", false, |times| {
        times.batch.to_string()
    }),
    column("H", "hidden size per direction", false, |times| {
        times.hidden.to_string()
    }),
    column(
        "median ms",
        "median time of a step, milliseconds",
        false,
        |times| milliseconds(Some(times.median_s())),
    ),
    column("fastest ms", "fastest step, milliseconds", true, |times| {
        milliseconds(times.steps_s.iter().copied().reduce(f64::min))
    }),
    column("slowest ms", "slowest step, milliseconds", true, |times| {
        milliseconds(times.steps_s.iter().copied().reduce(f64::max))
    }),
    column(
        "pipelined ms",
        "step that the host submits without waiting for the previous one, milliseconds",
        true,
        |times| milliseconds(Some(times.pipelined_s)),
    ),
    column("frames/s", "frames per second", false, |times| {
        let frames = (times.frames * times.batch) as f64 / times.median_s();
        with_thousands(&format!("{frames:.0}"))
    }),
    column(
        "memory",
        "peak memory of a step, if the backend reports it",
        false,
        |times| times.memory_peak.map_or_else(|| NOTHING.into(), memory),
    ),
    column("launches", "kernel launches per step", true, |times| {
        with_thousands(&times.launches.to_string())
    }),
    column(
        "launches per frame and layer",
        "kernel launches per step / (frames × layers)",
        true,
        |times| format!("{:.3}", times.launches_a_time_step_and_layer),
    ),
    column(
        "first step s",
        "first step with compilation, seconds",
        true,
        |times| format!("{:.1}", times.first_step_s),
    ),
];

fn milliseconds(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| NOTHING.into(), |seconds| format!("{:.2}", seconds * 1e3))
}

/// All columns with their meaning.
pub(super) fn columns() -> impl Iterator<Item = (&'static str, &'static str)> {
    COLUMNS.iter().map(|column| (column.title, column.meaning))
}

/// The times of all combinations, with the legend.
pub(super) fn times_table(
    all: &[StepTimes],
    wide: bool,
) -> (TextTable, Vec<(&'static str, &'static str)>) {
    let columns: Vec<&Column> = COLUMNS
        .iter()
        .filter(|column| wide || !column.wide)
        .collect();
    let mut table = TextTable::new(columns.iter().map(|column| column.title));
    for times in all {
        table.add_row(columns.iter().map(|column| (column.cell)(times)));
    }
    let legend = columns
        .iter()
        .map(|column| (column.title, column.meaning))
        .collect();
    (table, legend)
}

/// The share of each phase of a step, in percent.
pub(super) fn phases_table(all: &[StepTimes]) -> TextTable {
    let mut phases: Vec<&'static str> = Vec::new();
    for (phase, _) in all.iter().flat_map(|times| &times.parts_s) {
        if !phases.contains(&phase.name()) {
            phases.push(phase.name());
        }
    }
    let titles = ["backend", "T", "B", "H"].into_iter();
    let mut table = TextTable::new(titles.chain(phases.iter().copied()));
    for times in all {
        let whole: f64 = times.parts_s.iter().map(|(_, seconds)| seconds).sum();
        let shares = phases.iter().map(|name| {
            let parts = times.parts_s.iter();
            let mut named = parts.filter(|(phase, _)| phase.name() == *name);
            named.next().map_or_else(
                || NOTHING.into(),
                |(_, seconds)| format!("{:.1}", 100.0 * seconds / whole),
            )
        });
        let shape = [
            times.description.backend.to_string(),
            times.frames.to_string(),
            times.batch.to_string(),
            times.hidden.to_string(),
        ];
        table.add_row(shape.into_iter().chain(shares));
    }
    table
}
