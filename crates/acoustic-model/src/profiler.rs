//! A profiler for the phases of a training step.
//!
//! Work for a device is queued, so timing a phase would only measure the queueing. A profiled step therefore
//! waits for the device before and after each phase. It takes longer than a normal step: the phases show how
//! the time is distributed, not how long a step takes. Without profiling, a phase costs one check of a
//! thread-local flag.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use burn_tensor::backend::Backend;
use serde::Serialize;

/// A phase of a training step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepPhase {
    /// Copying the batch to the device.
    Copy,
    /// Large matrix multiplications, including the preparation of their operands.
    #[serde(rename = "products")]
    Gemm,
    /// The forward recurrences.
    RecurrenceForward,
    /// The backward recurrences.
    RecurrenceBackward,
    /// Softmax, cross-entropy and its gradient.
    Loss,
    /// Concatenating and clipping the gradients, and updating the parameters.
    Update,
    /// Everything else: dropout, masks, bias sums.
    Rest,
}

impl StepPhase {
    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Gemm => "GEMM",
            Self::RecurrenceForward => "recurrence forward",
            Self::RecurrenceBackward => "recurrence backward",
            Self::Loss => "loss",
            Self::Update => "update",
            Self::Rest => "rest",
        }
    }
}

/// The state of a profiled step.
#[derive(Default)]
struct Profile {
    spent: Vec<(StepPhase, Duration)>,
    /// The device's first error. Waiting for the device consumes the error, so it is kept here.
    failed: Option<String>,
}

thread_local! {
    static PROFILE: RefCell<Option<Profile>> = const { RefCell::new(None) };
}

/// Runs some work, and records its time if this thread is being profiled.
pub(crate) fn timed<B: Backend, T>(
    part: StepPhase,
    device: &B::Device,
    work: impl FnOnce() -> T,
) -> T {
    if PROFILE.with_borrow(Option::is_none) {
        return work();
    }
    let before = B::sync(device);
    let begin = Instant::now();
    let result = work();
    let after = B::sync(device);
    let spent = begin.elapsed();
    PROFILE.with_borrow_mut(|profile| {
        if let Some(profile) = profile {
            profile.spent.push((part, spent));
            if let Err(error) = before.and(after) {
                profile.failed.get_or_insert_with(|| error.to_string());
            }
        }
    });
    result
}

/// Runs a step that ends with the device idle. Returns the time of each phase, or the device's error.
pub fn profiled<T>(step: impl FnOnce() -> T) -> Result<(T, Vec<(StepPhase, Duration)>), String> {
    PROFILE.set(Some(Profile::default()));
    let begin = Instant::now();
    let result = step();
    let whole = begin.elapsed();
    let profile = PROFILE.take().unwrap_or_default();
    if let Some(error) = profile.failed {
        return Err(error);
    }
    let known: Duration = profile.spent.iter().map(|(_, spent)| *spent).sum();
    let rest = [(StepPhase::Rest, whole.saturating_sub(known))];
    let mut parts: Vec<(StepPhase, Duration)> = Vec::new();
    for (part, spent) in profile.spent.into_iter().chain(rest) {
        match parts.iter_mut().find(|(other, _)| *other == part) {
            Some((_, sum)) => *sum += spent,
            None => parts.push((part, spent)),
        }
    }
    Ok((result, parts))
}

#[cfg(all(test, feature = "cpu"))]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_profiled_step_add_up() {
        type B = burn_flex::Flex;
        let device = Default::default();
        let nap = || std::thread::sleep(Duration::from_millis(2));
        let begin = Instant::now();
        let ((), parts) = profiled(|| {
            timed::<B, _>(StepPhase::Loss, &device, nap);
            timed::<B, _>(StepPhase::Gemm, &device, nap);
            timed::<B, _>(StepPhase::Loss, &device, nap);
            nap();
        })
        .expect("a profile");
        let whole = begin.elapsed();
        let names: Vec<StepPhase> = parts.iter().map(|(part, _)| *part).collect();
        assert_eq!(names, [StepPhase::Loss, StepPhase::Gemm, StepPhase::Rest]);
        assert!(
            parts
                .iter()
                .all(|(_, spent)| *spent >= Duration::from_millis(2))
        );
        assert!(parts.iter().map(|(_, spent)| *spent).sum::<Duration>() <= whole);
        timed::<B, _>(StepPhase::Loss, &device, nap);
        assert!(PROFILE.take().is_none(), "recorded without profiling");
    }
}
