//! Whether an utterance fits the pack it is for.

use super::{PackError, Setup};
use crate::Matrix;

/// An utterance that the pack can hold.
pub(super) fn check(
    setup: &Setup,
    id: &str,
    features: &Matrix,
    labels: &[i32],
) -> Result<(), PackError> {
    let refuse = |reason: String| {
        Err(PackError::Utterance {
            id: id.to_string(),
            reason,
        })
    };
    let dims = setup.dims as usize;
    if features.cols() != dims {
        return refuse(format!(
            "frames of {} numbers in a pack of {dims}",
            features.cols()
        ));
    }
    if features.rows() == 0 || u32::try_from(features.rows()).is_err() {
        return refuse(format!("{} frames: leave it out", features.rows()));
    }
    let wanted = if setup.class_names.is_some() {
        features.rows()
    } else {
        0
    };
    if labels.len() != wanted {
        return refuse(format!(
            "{} labels for {} frames where there should be {wanted}",
            labels.len(),
            features.rows()
        ));
    }
    if let Some(place) = features.as_slice().iter().position(|x| !x.is_finite()) {
        return refuse(format!(
            "frame {}, dimension {} is {}",
            place / dims,
            place % dims,
            features.as_slice()[place]
        ));
    }
    let classes = setup.class_names.as_ref().map_or(0, Vec::len);
    let out_of_range = |&label: &i32| usize::try_from(label).map_or(true, |label| label >= classes);
    if let Some(frame) = labels.iter().position(out_of_range) {
        return refuse(format!(
            "the label of frame {frame} is {} and there are {classes} classes",
            labels[frame]
        ));
    }
    Ok(())
}
