//! Where the time of a training step goes.
//!
//! Work for a device is queued, so a clock around a part of a step would measure the queueing. While a step is profiled, the
//! device is waited for before and after each part; such a step takes longer than others, and its parts say how the time is
//! shared, not how long it is. Unless profiled, a part costs a look at a thread's own flag.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use burn::tensor::backend::Backend;
use serde::Serialize;

/// A part of a training step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepPhase {
    /// The batch on its way to the device.
    Copy,
    /// Large matrix multiplications and what prepares their factors.
    #[serde(rename = "products")]
    Gemm,
    /// The recurrences, forward.
    RecurrenceForward,
    /// The recurrences, backward.
    RecurrenceBackward,
    /// Softmax, cross-entropy and its gradient.
    Loss,
    /// Gradients joined, clipped, and the parameters' update.
    Update,
    /// What is left: dropout, masks, sums of biases.
    Rest,
}

impl StepPhase {
    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Gemm => "products",
            Self::RecurrenceForward => "recurrence forward",
            Self::RecurrenceBackward => "recurrence backward",
            Self::Loss => "loss",
            Self::Update => "update",
            Self::Rest => "rest",
        }
    }
}

/// What a profiled step has told so far.
#[derive(Default)]
struct Profile {
    spent: Vec<(StepPhase, Duration)>,
    /// What the device said first, where it failed: waiting for it takes the error away from whoever waits next.
    failed: Option<String>,
}

thread_local! {
    static PROFILE: RefCell<Option<Profile>> = const { RefCell::new(None) };
}

/// Does some work, and notes how long it took if this thread is being profiled.
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

/// Runs a step that ends with the device idle, and tells what each of its parts took, or what the device said when it failed.
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
        assert!(PROFILE.take().is_none(), "noted although nobody asked");
    }
}
