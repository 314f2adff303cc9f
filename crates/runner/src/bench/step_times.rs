//! Finds stalls: training steps that take longer than their size explains.
//!
//! A stall (compiling a kernel, allocating device memory) is hidden in the mean of an epoch but visible in its slowest steps.

use serde::{Deserialize, Serialize};

/// The time of one training step, with a device synchronisation before and after.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepTime {
    /// Frames of the batch, padding included.
    pub padded_frames: u64,
    /// Time of the step.
    pub seconds: f64,
}

/// A quantile (0.99: p99) of measured time divided by predicted time.
///
/// The prediction is a least-squares line through all steps: time as a function of padded frames. None if there are fewer than
/// three steps.
pub fn over_predicted(steps: &[StepTime], quantile: f64) -> Option<f64> {
    let (offset, slope) = line(steps)?;
    let mut ratios: Vec<f64> = steps
        .iter()
        .map(|step| step.seconds / (offset + slope * step.padded_frames as f64))
        .collect();
    ratios.sort_by(f64::total_cmp);
    let place = (quantile * ratios.len() as f64).ceil() as usize;
    ratios.get(place.max(1) - 1).copied()
}

/// The least-squares line: offset in seconds, and slope in seconds per frame.
fn line(steps: &[StepTime]) -> Option<(f64, f64)> {
    let count = steps.len() as f64;
    let mean = |of: &dyn Fn(&StepTime) -> f64| steps.iter().map(of).sum::<f64>() / count;
    let frames = mean(&|step| step.padded_frames as f64);
    let seconds = mean(&|step| step.seconds);
    let variance = mean(&|step| (step.padded_frames as f64 - frames).powi(2));
    if steps.len() < 3 {
        return None;
    }
    if variance == 0.0 {
        return Some((seconds, 0.0));
    }
    let covariance = mean(&|step| (step.padded_frames as f64 - frames) * (step.seconds - seconds));
    let slope = covariance / variance;
    Some((seconds - slope * frames, slope))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(seconds: impl Fn(u64) -> f64) -> Vec<StepTime> {
        (1..=200)
            .map(|step| StepTime {
                padded_frames: step * 40,
                seconds: seconds(step),
            })
            .collect()
    }

    #[test]
    fn stalls_show_and_size_does_not() {
        let even = steps(|step| 0.001 + 0.0001 * step as f64);
        let ratio = over_predicted(&even, 0.99).expect("a ratio");
        assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
        let stalling = steps(|step| {
            let stalls = if step % 20 == 0 { 3.0 } else { 1.0 };
            stalls * (0.001 + 0.0001 * step as f64)
        });
        assert!(over_predicted(&stalling, 0.99).expect("a ratio") > 2.0);
        assert_eq!(over_predicted(&even[..2], 0.99), None);
        let alike = [StepTime {
            padded_frames: 7,
            seconds: 0.5,
        }; 5];
        assert_eq!(over_predicted(&alike, 0.99), Some(1.0));
    }
}
