//! Checks that an utterance fits its pack.

use super::setup::{Setup, Utterance};
use crate::matrix::Matrix;

/// Returns why the pack cannot store this utterance, if so.
pub(super) fn check(
    setup: &Setup,
    utterance: &Utterance,
    features: &Matrix,
    labels: &[i32],
) -> Result<(), String> {
    let (rows, cols, dims) = (features.rows(), features.cols(), setup.dims as usize);
    if cols != dims {
        return Err(format!("{cols} dimensions, but the pack has {dims}"));
    }
    if rows == 0 || u32::try_from(rows).is_err() {
        return Err(format!(
            "{rows} frames, must be 1 to 4294967295: skip the utterance"
        ));
    }
    let classes = setup.class_names.as_ref().map_or(0, Vec::len);
    let wanted = if classes == 0 { 0 } else { rows };
    if labels.len() != wanted {
        let found = labels.len();
        return Err(format!(
            "{found} labels for {rows} frames, expected {wanted}"
        ));
    }
    let numbers = features.as_slice();
    // Without an early exit, this compiles to vector operations.
    let all_finite = numbers
        .iter()
        .fold(true, |all, number| all & number.is_finite());
    if !all_finite && let Some(place) = numbers.iter().position(|number| !number.is_finite()) {
        let (frame, dimension, number) = (place / dims, place % dims, numbers[place]);
        return Err(format!(
            "frame {frame}, dimension {dimension} is {number}: features must be finite"
        ));
    }
    let is_class = |&label: &i32| usize::try_from(label).is_ok_and(|label| label < classes);
    if let Some(frame) = labels.iter().position(|label| !is_class(label)) {
        let label = labels[frame];
        return Err(format!(
            "frame {frame} has label {label}, but there are {classes} classes"
        ));
    }
    let symbols = setup.targets.as_ref().map_or(0, |set| set.symbols.len());
    let mut targets = utterance.targets.iter();
    if let Some(symbol) = targets.find(|&&symbol| usize::from(symbol) >= symbols) {
        return Err(format!(
            "its target has symbol {symbol}, but there are {symbols} symbols"
        ));
    }
    Ok(())
}
