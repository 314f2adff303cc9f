//! The columns of the papers' tables: which of ours stands beside which of theirs.

use super::{Measured, PaperColumn};

/// A column of ours, and the paper's columns that are set beside it.
pub(crate) struct Column {
    pub measured: Measured,
    pub title: &'static str,
    pub decimals: usize,
    /// Whether it is there only beside a paper's.
    pub only_beside: bool,
    pub paper: &'static [(PaperColumn, &'static str, f64)],
}

const fn column(
    measured: Measured,
    title: &'static str,
    decimals: usize,
    paper: &'static [(PaperColumn, &'static str, f64)],
) -> Column {
    Column {
        measured,
        title,
        decimals,
        only_beside: false,
        paper,
    }
}

const fn only_beside(column: Column) -> Column {
    Column {
        only_beside: true,
        ..column
    }
}

/// A paper's number is multiplied by the factor beside its title: its minutes stand beside our seconds as seconds.
pub(crate) const COLUMNS: [Column; 18] = [
    column(
        Measured::UtterancesPerSecond,
        "utt/s",
        1,
        &[(PaperColumn::UtterancesPerSecond, "paper's", 1.0)],
    ),
    column(Measured::ValidFramesPerSecond, "frames/s", 0, &[]),
    column(Measured::PaddedFramesPerSecond, "padded/s", 0, &[]),
    column(Measured::WaitPercent, "wait %", 1, &[]),
    column(
        Measured::MemoryGb,
        "GB",
        2,
        &[(PaperColumn::MemoryGb, "paper's", 1.0)],
    ),
    column(
        Measured::EpochSeconds,
        "s/epoch",
        1,
        &[
            (PaperColumn::EpochSeconds, "paper's", 1.0),
            (PaperColumn::EpochMinutes, "paper's", 60.0),
        ],
    ),
    column(Measured::WarmUpSeconds, "warm-up s", 1, &[]),
    only_beside(column(
        Measured::TimeSavedPercent,
        "saved %",
        1,
        &[(PaperColumn::TimeSavedPercent, "paper's", 1.0)],
    )),
    only_beside(column(
        Measured::SpeedUp,
        "speed-up",
        2,
        &[(PaperColumn::SpeedUp, "paper's", 1.0)],
    )),
    only_beside(column(
        Measured::Batches,
        "batches",
        0,
        &[(PaperColumn::Batches, "paper's", 1.0)],
    )),
    column(
        Measured::ZprPercent,
        "ZPR %",
        2,
        &[(PaperColumn::ZprPercent, "paper's", 1.0)],
    ),
    column(
        Measured::Abl,
        "ABL",
        1,
        &[(PaperColumn::Abl, "paper's", 1.0)],
    ),
    only_beside(column(
        Measured::ValidationLossEarly,
        "early loss",
        3,
        &[(PaperColumn::ValidationLossEarly, "paper's", 1.0)],
    )),
    only_beside(column(
        Measured::ValidationLossMiddle,
        "middle loss",
        3,
        &[(PaperColumn::ValidationLossMiddle, "paper's", 1.0)],
    )),
    column(
        Measured::ValidationLoss,
        "loss",
        3,
        &[(PaperColumn::ValidationLoss, "paper's", 1.0)],
    ),
    only_beside(column(
        Measured::ValidationLossAverage,
        "mean loss",
        3,
        &[(PaperColumn::ValidationLossAverage, "paper's", 1.0)],
    )),
    column(Measured::FrameErrorPercent, "FER %", 1, &[]),
    column(
        Measured::SequenceErrorPercent,
        "PER %",
        1,
        &[(PaperColumn::WordErrorPercent, "paper's WER %", 1.0)],
    ),
];
