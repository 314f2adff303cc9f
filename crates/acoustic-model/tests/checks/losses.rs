//! Compares the cross-entropy of frames and its gradient with f64 on the host.

use padwise_model::{KernelBackend, Precision, RowLayout};

use super::operands::values;
use super::random::uniform;
use super::{Tolerance, goldens, numbers, on_device};

/// Rows, classes, and the largest score.
const CASES: [(usize, usize, f32); 8] = [
    (1, 1, 3.0),
    (3, 2, 80.0),
    (50, 6, 3.0),
    (333, 41, 10.0),
    (2500, 41, 3.0),
    (40, 1500, 20.0),
    (21, 2048, 3.0),
    // More classes than fused kernels support.
    (9, 2049, 3.0),
];

/// Losses, wrong rows, the gradient and its column sums, with rows that have no label.
pub fn are_right<B: KernelBackend>(device: &B::Device, precision: Precision, tolerance: Tolerance) {
    for (case, (rows, classes, size)) in CASES.into_iter().enumerate() {
        let mut scores: Vec<f32> = uniform(rows * classes, case as u64);
        scores.iter_mut().for_each(|score| *score *= size);
        if classes > 1 {
            // The first of the largest scores is the prediction.
            scores[..2].fill(2.0 * size);
        }
        let label = |row: usize| match row % 7 {
            5 => -1,
            _ => (row * 13 % classes) as i32,
        };
        let labels: Vec<i32> = (0..rows).map(label).collect();
        let layout = RowLayout::padded(&vec![1; rows], 1);
        let targets = goldens::targets::<B>(&labels, &layout, classes, device);
        let share = 1.0 / targets.labelled() as f64;
        let found = B::frame_loss(
            on_device(&scores, [rows, classes], device),
            &targets,
            share,
            precision,
        );

        let (mut loss, mut wrong) = (0.0, 0.0);
        let mut gradient = vec![0.0; rows * classes];
        for (row, &label) in labels.iter().enumerate().filter(|(_, label)| **label >= 0) {
            let scores = &scores[row * classes..][..classes];
            let most = scores.iter().copied().fold(f32::MIN, f32::max);
            let exponent = |score: f32| f64::from(score - most).exp();
            let total: f64 = scores.iter().copied().map(exponent).sum();
            loss += f64::from(most) + total.ln() - f64::from(scores[label as usize]);
            let predicted = scores.iter().position(|&score| score == most);
            wrong += f64::from(u8::from(predicted != Some(label as usize)));
            for (class, &score) in scores.iter().enumerate() {
                let hit = f64::from(u8::from(class == label as usize));
                gradient[row * classes + class] = share * (exponent(score) / total - hit);
            }
        }
        let what = |part: &str| format!("{part} of {rows} rows and {classes} classes");
        let sums: Vec<f64> = (0..classes)
            .map(|class| gradient.iter().skip(class).step_by(classes).sum())
            .collect();
        let [found_loss, found_wrong] = numbers(found.values)[..] else {
            panic!("two values");
        };
        Tolerance(1e-5).check(&what("loss"), &[found_loss], &[loss]);
        assert_eq!(found_wrong, wrong, "{}", what("wrong rows"));
        let all = values::<B>(found.gradient.all, classes, precision, device);
        tolerance.check(&what("gradient"), &all, &gradient);
        let found_sums = numbers(found.gradient.partial_sums.sum_dim(0));
        Tolerance(1e-4).check(&what("sums of the gradient"), &found_sums, &sums);
    }
}
