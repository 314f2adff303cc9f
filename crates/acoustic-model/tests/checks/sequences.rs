//! Compares CTC on the device with CTC on the host, which computes in f64.

use padwise_model::ctc::{Ctc, CtcBatch, Unalignable};
use padwise_model::kernels::loss::CtcTargets;
use padwise_model::{KernelBackend, RowLayout};

use super::random::uniform;
use super::{Tolerance, layouts, numbers, on_device};

/// Frames and labels of each utterance, and the spread of the scores.
struct Case {
    name: &'static str,
    classes: usize,
    utterances: &'static [(usize, usize)],
    spread: f32,
}

const CASES: [Case; 6] = [
    Case {
        name: "a few frames",
        classes: 5,
        utterances: &[(1, 0), (1, 1), (9, 4), (12, 1), (6, 0)],
        spread: 3.0,
    },
    Case {
        name: "speech",
        classes: 123,
        utterances: &[(300, 60), (37, 12), (211, 25)],
        spread: 6.0,
    },
    Case {
        name: "more states than the smaller kernel supports",
        classes: 40,
        utterances: &[(700, 300), (400, 255), (650, 256)],
        spread: 2.0,
    },
    Case {
        // Some devices have no kernel for this many states.
        name: "more states than the second kernel supports",
        classes: 60,
        utterances: &[(1500, 1200), (60, 20)],
        spread: 2.0,
    },
    Case {
        name: "more states than any kernel supports",
        classes: 30,
        utterances: &[(2800, 2600)],
        spread: 2.0,
    },
    Case {
        // Nearly all probability mass is lost on the way, which costs precision unless the values are
        // normalised.
        name: "few labels in many frames",
        classes: 124,
        utterances: &[(2500, 12), (2500, 400)],
        spread: 0.1,
    },
];

const BLANK: u32 = 2;

/// Loss and gradient match those of the host, and the gradient is zero at padding.
pub fn are_aligned_as_on_the_host<B: KernelBackend>(device: &B::Device) {
    for (seed, case) in CASES.iter().enumerate() {
        let lengths: Vec<usize> = case.utterances.iter().map(|&(frames, _)| frames).collect();
        let label_lengths: Vec<usize> = case.utterances.iter().map(|&(_, count)| count).collect();
        // Some frames more than the longest has.
        let frames = lengths.iter().max().expect("utterances") + 3;
        let places = frames * lengths.len();
        let mut scores = uniform(places * case.classes, seed as u64);
        for (index, score) in scores.iter_mut().enumerate() {
            let row = index / case.classes;
            let is_padding = row / lengths.len() >= lengths[row % lengths.len()];
            *score = if is_padding {
                1e30
            } else {
                case.spread * *score
            };
        }
        let random = uniform(label_lengths.iter().sum(), 100 + seed as u64);
        let labels: Vec<u32> = random
            .iter()
            .map(|value| {
                // Includes repetitions, but few enough to fit.
                let label = ((value + 1.0) / 2.0 * (case.classes - 1) as f32) as u32;
                label.min(case.classes as u32 - 2) + u32::from(label >= BLANK)
            })
            .collect();

        let expected = Ctc {
            blank: BLANK,
            unalignable: Unalignable::Refuse,
        }
        .losses_and_gradient(
            &scores,
            &CtcBatch {
                classes: case.classes,
                input_lengths: &lengths,
                targets: &labels,
                target_lengths: &label_lengths,
            },
        )
        .expect("aligned on the host");

        let narrow = |lengths: &[usize]| lengths.iter().map(|&n| n as u32).collect::<Vec<u32>>();
        let sum: f64 = expected.losses.iter().sum();
        let gradient: Vec<f64> = expected
            .gradient
            .iter()
            .map(|&value| 0.5 * f64::from(value))
            .collect();
        for layout in layouts(&narrow(&lengths), frames) {
            let targets = CtcTargets::new(
                labels.iter().map(|&label| label as i32).collect(),
                &narrow(&label_lengths),
                layout.clone(),
                case.classes,
                BLANK,
            )
            .expect("targets");
            let rows = layout.from_time_major(scores.clone(), case.classes);
            let on_device = on_device::<B, 2>(&rows, [layout.rows(), case.classes], device);
            let found =
                B::sequence_scores(on_device, &targets, 0.5).expect("aligned on the device");

            // The tables are returned so that a step's memory is measured while they exist: one value per frame,
            // state and direction.
            if let Some(tables) = found.tables {
                let cells = case
                    .utterances
                    .iter()
                    .map(|(frames, labels)| frames * (2 * labels + 1));
                assert_eq!(tables.dims(), [2 * cells.sum::<usize>()], "{}", case.name);
            }
            Tolerance(1e-5).check(case.name, &numbers(found.loss_sum), &[sum]);
            let found = numbers(found.gradient);
            let expected = layout.from_time_major(gradient.clone(), case.classes);
            Tolerance(1e-4).check(case.name, &found, &expected);
            for (found, owner) in found.chunks_exact(case.classes).zip(layout.owners()) {
                let is_zero = found.iter().all(|&value| value == 0.0);
                assert!(owner.is_some() || is_zero, "{}", case.name);
            }
        }
    }
}

/// A non-finite score is an error or gives a non-finite loss. Training must not continue silently.
pub fn non_finite_scores_are_reported<B: KernelBackend>(device: &B::Device) {
    let (frames, classes) = (6, 5);
    for broken in [f32::NAN, f32::INFINITY] {
        let mut scores = uniform(frames * classes, 1);
        scores[2 * classes + 1] = broken;
        let targets = {
            let layout = RowLayout::padded(&[frames as u32], frames);
            CtcTargets::new(vec![1, 3], &[2], layout, classes, 0)
        };
        let on_device = on_device::<B, 2>(&scores, [frames, classes], device);
        let found = B::sequence_scores(on_device, &targets.expect("targets"), 1.0);
        if let Ok(found) = found {
            let loss = numbers(found.loss_sum)[0];
            assert!(!loss.is_finite(), "{broken} became {loss}");
        }
    }
}
