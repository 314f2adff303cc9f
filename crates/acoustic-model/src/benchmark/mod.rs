//! Timing of training steps: one shape with all details (`padwise bench step`), or many shapes (`padwise bench cost`).

mod shapes;
mod step;
mod synthetic;

pub use shapes::{ShapeTime, ShapeTimer};
pub use step::{StepBenchmark, StepTimes};
pub use synthetic::{FRAMES_PER_LABEL, synthetic_batch};
