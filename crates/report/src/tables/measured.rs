//! Our own columns, in three tables that each fit a screen: speed, learning, padding.

use super::{Grid, LEARNING, NOTHING, PADDING, SPEED, name, or_nothing};
use crate::findings::Findings;
use crate::record::Measured;
use crate::record::table::cell;
use crate::words::{p_value, signed};

type Cell<'a> = Box<dyn Fn(usize) -> String + 'a>;

/// A table of these columns; a column that has nothing to show in any row is left out.
fn grid(findings: &Findings, title: &str, note: String, columns: Vec<(String, Cell)>) -> Grid {
    let count = findings.rows.len();
    let mut header = vec!["strategy".to_owned()];
    let mut rows: Vec<Vec<String>> = (0..count).map(|row| vec![name(findings, row)]).collect();
    for (title, of) in columns {
        let cells: Vec<String> = (0..count).map(of).collect();
        if cells.iter().all(|cell| cell == NOTHING) {
            continue;
        }
        header.push(title);
        for (row, cell) in rows.iter_mut().zip(cells) {
            row.push(cell);
        }
    }
    Grid {
        title: title.into(),
        note,
        header,
        rows,
    }
}

fn plain<'a>(findings: &'a Findings, measured: Measured, decimals: usize) -> Cell<'a> {
    Box::new(move |row| cell(findings.interval(row, measured), decimals))
}

/// How fast, how fast by padding alone, what is saved.
pub(super) fn speed(findings: &Findings) -> Grid {
    let baseline = findings.baseline_name().unwrap_or_default();
    let rows = &findings.rows;
    let ratio = |value: Option<f64>| or_nothing(value.map(|value| format!("{value:.2}×")));
    let columns: Vec<(String, Cell)> = vec![
        (
            "utt/s".into(),
            plain(findings, Measured::UtterancesPerSecond, 1),
        ),
        (
            "speed ratio".into(),
            Box::new(move |row| ratio(rows[row].speed.map(|change| change.estimate))),
        ),
        (
            "predicted ratio".into(),
            Box::new(move |row| ratio(rows[row].predicted_speed)),
        ),
        (
            "p".into(),
            Box::new(move |row| or_nothing(rows[row].speed.and_then(p_value))),
        ),
        ("s/epoch".into(), plain(findings, Measured::EpochSeconds, 1)),
        (
            "saved %".into(),
            Box::new(move |row| {
                let ratio = rows[row].epoch_time.map(|change| change.estimate);
                or_nothing(ratio.map(|ratio| format!("{:.1}", 100.0 * (1.0 - ratio))))
            }),
        ),
        (
            "paper's saved %".into(),
            Box::new(move |row| {
                let saved = findings.papers_time_saved(row);
                or_nothing(saved.map(|saved| format!("{saved:.1}")))
            }),
        ),
        ("GB".into(), plain(findings, Measured::MemoryGb, 2)),
        (
            "memory ratio".into(),
            Box::new(move |row| ratio(rows[row].memory.map(|change| change.estimate))),
        ),
        ("wait %".into(), plain(findings, Measured::WaitPercent, 1)),
        (
            "warm-up s".into(),
            plain(findings, Measured::WarmUpSeconds, 1),
        ),
    ];
    let note = format!(
        "Ratios are to {baseline}; the predicted one is the speed that follows if time is spent on padded frames alone. p is corrected for the number of strategies (Holm). Saved is time of an epoch against {baseline}."
    );
    grid(findings, SPEED, note, columns)
}

/// How low the loss came, and how soon.
pub(super) fn learning(findings: &Findings) -> Grid {
    let baseline = findings.baseline_name().unwrap_or_default();
    let rows = &findings.rows;
    let mut columns: Vec<(String, Cell)> = vec![
        ("loss".into(), plain(findings, Measured::ValidationLoss, 3)),
        (
            "difference".into(),
            Box::new(move |row| {
                let change = rows[row].loss;
                or_nothing(change.map(|change| signed(change.estimate, 3)))
            }),
        ),
        (
            "95 % interval".into(),
            Box::new(move |row| {
                let tested = rows[row].loss.and_then(|change| change.tested);
                or_nothing(tested.map(|tested| {
                    format!("{} to {}", signed(tested.low, 3), signed(tested.high, 3))
                }))
            }),
        ),
        (
            "p".into(),
            Box::new(move |row| or_nothing(rows[row].loss.and_then(p_value))),
        ),
        (
            "FER %".into(),
            plain(findings, Measured::FrameErrorPercent, 1),
        ),
        (
            "PER %".into(),
            plain(findings, Measured::SequenceErrorPercent, 1),
        ),
    ];
    if findings.any_past_its_best() {
        columns.push((
            "lowest (epoch)".into(),
            Box::new(move |row| {
                let lowest = rows[row].lowest;
                or_nothing(lowest.map(|lowest| format!("{:.3} ({})", lowest.loss, lowest.epoch)))
            }),
        ));
    }
    if let Some(loss) = findings.summary.target_loss {
        columns.push((
            format!("s to {loss:.3}"),
            plain(findings, Measured::SecondsToLoss, 1),
        ));
    }
    columns.push((
        "on the front".into(),
        Box::new(move |row| if rows[row].on_front { "yes" } else { NOTHING }.into()),
    ));
    let note = format!(
        "Validation loss after the last epoch, of runs that came to their end; the difference is to {baseline}. On the front: nothing measured is both faster and lower in loss."
    );
    grid(findings, LEARNING, note, columns)
}

/// What the batches were like.
pub(super) fn padding(findings: &Findings) -> Grid {
    let columns: Vec<(String, Cell)> = vec![
        ("batches".into(), plain(findings, Measured::Batches, 0)),
        ("ZPR %".into(), plain(findings, Measured::ZprPercent, 2)),
        ("ABL".into(), plain(findings, Measured::Abl, 1)),
        (
            "largest".into(),
            plain(findings, Measured::LargestBatchFrames, 0),
        ),
        ("dropped".into(), plain(findings, Measured::Dropped, 0)),
        (
            "frames/s".into(),
            plain(findings, Measured::ValidFramesPerSecond, 0),
        ),
        (
            "padded/s".into(),
            plain(findings, Measured::PaddedFramesPerSecond, 0),
        ),
    ];
    let note = "Of the batches that were trained: ZPR is padding in a batch, ABL its padded length, largest the padded frames of the largest one; frames a second without and with padding.";
    grid(findings, PADDING, note.into(), columns)
}
