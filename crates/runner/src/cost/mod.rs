//! Measures the cost of training steps on this device and keeps it as a device profile.
//!
//! `padwise bench cost` times steps of a few designed shapes (`design`), fits a cost model to them (`fit`), and tests it on other
//! shapes. Profiles are kept in the user's cache (`cache`), where `padwise recommend` finds them.

pub mod cache;
mod design;
mod fit;
mod measure;
mod records;

pub use measure::{MeasureError, Subject, measure};
pub use records::{EpochPrediction, RecordError, predict_epochs, subject_of};
