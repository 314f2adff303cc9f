//! A class for every frame, from whatever says who was speaking which sound when.
//!
//! Two kinds of sources are told apart. *Intervals* in seconds ([CTM](Alignments::read_ctm),
//! [TextGrid](Alignments::read_textgrid)) are put on the frames of a front end by a [`FrameTiming`]; *one label a
//! frame* (Kaldi's alignments, `.npy`) is held against the number of frames by [`fit`]. In both, nothing is cut or
//! filled without being counted or refused.

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
pub use classes::LabelSet;
pub use error::LabelError;
pub(crate) use fitting::CorpusFit;
pub use fitting::{FitCounts, Fitted, Mismatch, fit};
pub use frame_labels::FrameLabels;
pub use labelled::Labelled;
pub use timing::FrameTiming;
