//! Frame labels: a class for every frame.
//!
//! There are two kinds of sources. *Intervals* in seconds ([CTM](Alignments::read_ctm),
//! [TextGrid](Alignments::read_textgrid)) are mapped to frames by a [`FrameTiming`]. *Frame-level labels* (Kaldi
//! alignments, `.npy`) must match the number of frames; [`fit`] checks that. Every truncation or repetition is either
//! counted or an error.

mod alignments;
mod classes;
mod ctm;
mod error;
mod fitting;
mod frame_labels;
mod labelled;
mod textgrid;
mod timing;

pub use alignments::{Alignments, TimedLabel};
pub use classes::{LARGEST_LABEL, LabelSet, MOST_CLASSES};
pub use error::LabelError;
pub(crate) use fitting::CorpusFit;
pub use fitting::{FitCounts, Fitted, Mismatch, fit};
pub use frame_labels::FrameLabels;
pub use labelled::Labelled;
pub use timing::FrameTiming;
