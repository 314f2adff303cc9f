//! A recommendation in plain words.

use std::fmt::Write;

use padwise_sampler::Batching;
use serde::Serialize;

use crate::evidence::Verdict;
use crate::prediction::Prediction;
use crate::search::Search;

/// A smaller gain is not worth a change.
const SMALL_GAIN: f64 = 1.03;

/// Less padding than this is hardly worth avoiding.
const LITTLE_PADDING: f64 = 0.1;

/// What to use and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// The recommendation in one sentence.
    pub summary: String,
    /// Where the gain comes from.
    pub reason: String,
    /// What trained records say about its accuracy, and which.
    pub risk: String,
    /// The next strategy to consider, if there is one.
    pub runner_up: Option<String>,
    /// The strategy in its one-line form.
    pub line: String,
    /// An excerpt of a config that compares it with random.
    pub toml: String,
}

impl Advice {
    /// Puts the result of a search into words.
    pub fn new(search: &Search) -> Self {
        let best = &search.predictions[search.recommended];
        let random = &search.predictions[search.baseline];
        Self {
            summary: summary(best, random),
            reason: reason(best, random),
            risk: risk(best),
            runner_up: search
                .runner_up
                .map(|index| runner_up(&search.predictions[index], best)),
            line: best.strategy.to_string(),
            toml: toml(best, random),
        }
    }
}

fn summary(best: &Prediction, random: &Prediction) -> String {
    if best.evidence.verdict == Verdict::Baseline {
        return format!("Keep random batches (`{}`).", best.strategy);
    }
    let gain = match best.speed_up >= SMALL_GAIN {
        true => format!("predicted {:.2}× faster than random batches", best.speed_up),
        false => "but expect no gain over random batches".into(),
    };
    format!(
        "Use `{}`: {gain} ({} instead of {} per epoch).",
        best.strategy,
        duration(best.epoch_seconds),
        duration(random.epoch_seconds)
    )
}

fn reason(best: &Prediction, random: &Prediction) -> String {
    if best.evidence.verdict == Verdict::Baseline {
        return match random.padding < LITTLE_PADDING {
            true => format!(
                "Only {} of the frames in random batches are padding.",
                percent(random.padding)
            ),
            false => {
                "No faster strategy is random enough, fits and is supported by our records.".into()
            }
        };
    }
    format!(
        "Padding falls from {} to {} of all frames. Of the pairs in a batch, {} are new in every epoch.{}",
        percent(random.padding),
        percent(best.padding),
        percent(best.randomness),
        best.peak_bytes.map_or_else(String::new, |bytes| format!(
            " Peak memory is {}.",
            memory(bytes)
        ))
    )
}

fn risk(best: &Prediction) -> String {
    let mut text = best.evidence.statement.to_owned();
    let mut records: Vec<&str> = best
        .evidence
        .sources
        .iter()
        .map(|source| source.record)
        .collect();
    records.dedup();
    if !records.is_empty() {
        let _ = write!(text, " Records: {}.", records.join(", "));
    }
    text
}

fn runner_up(other: &Prediction, best: &Prediction) -> String {
    let change = best.epoch_seconds / other.epoch_seconds;
    let speed = match change >= 1.0 {
        true => format!("{change:.2}× faster than `{}`", best.strategy),
        false => format!("{:.2}× slower than `{}`", 1.0 / change, best.strategy),
    };
    let steps = match other.strategy.batching {
        Batching::Fixed { .. } => String::new(),
        _ => format!(
            " It makes {} steps per epoch instead of {}.",
            other.steps, best.steps
        ),
    };
    format!(
        "`{}` is predicted {speed}. {}{steps}",
        other.strategy, other.evidence.statement
    )
}

fn toml(best: &Prediction, random: &Prediction) -> String {
    let mut rows = vec![("random", random)];
    if best.strategy != random.strategy {
        rows.push(("recommended", best));
    }
    rows.iter()
        .map(|(name, row)| {
            format!(
                "[[strategy]]\nname = \"{name}\"\nline = \"{}\"\n",
                row.strategy
            )
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        99.95..100.0 => "over 99.9 %".into(),
        99.5..99.95 => format!("{percent:.1} %"),
        _ => format!("{percent:.0} %"),
    }
}

/// A time with a suitable unit.
fn duration(seconds: f64) -> String {
    match seconds {
        ..1.0 => format!("{:.0} ms", 1e3 * seconds),
        1.0..100.0 => format!("{seconds:.1} s"),
        100.0..6_000.0 => format!("{:.1} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3_600.0),
    }
}

fn memory(bytes: u64) -> String {
    match bytes {
        ..1_000_000_000 => format!("{:.0} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
