//! Compares CTC with its definition (the sum over all alignments) and with finite differences.

use padwise_model::ctc::Unalignable;

use crate::batch::Batch;

/// The loss by definition: sums over every path of classes that collapses to the target.
fn loss_by_counting(logits: &[f32], classes: usize, target: &[u32], blank: u32) -> f64 {
    let frames: Vec<Vec<f64>> = logits
        .chunks_exact(classes)
        .map(|frame| {
            let weights: Vec<f64> = frame.iter().map(|&logit| f64::from(logit).exp()).collect();
            let sum: f64 = weights.iter().sum();
            weights.iter().map(|weight| weight / sum).collect()
        })
        .collect();
    let mut likelihood = 0.0;
    for number in 0..classes.pow(frames.len() as u32) {
        let path: Vec<usize> = (0..frames.len())
            .map(|t| number / classes.pow(t as u32) % classes)
            .collect();
        let mut collapsed: Vec<u32> = path.iter().map(|&class| class as u32).collect();
        collapsed.dedup();
        collapsed.retain(|&class| class != blank);
        if collapsed == target {
            likelihood += path
                .iter()
                .zip(&frames)
                .map(|(&class, frame)| frame[class])
                .product::<f64>();
        }
    }
    -likelihood.ln()
}

#[test]
fn agrees_with_counting_every_alignment() {
    let classes = 3;
    for blank in 0..3u32 {
        let one = (blank + 1) % 3;
        let other = (blank + 2) % 3;
        let targets: [&[u32]; 7] = [
            &[],
            &[one],
            &[one, one],
            &[one, other],
            &[other, one, one],
            &[one, other, one],
            &[other; 4],
        ];
        for frames in 1..=7 {
            for (seed, target) in targets.iter().enumerate() {
                let batch = Batch::noise(seed as u64, frames, classes, blank, &[(frames, target)]);
                let counted = loss_by_counting(&batch.logits, classes, target, blank);
                let found = batch.run(Unalignable::LeaveOut).expect("a loss");
                assert_eq!(
                    found.left_out.is_empty(),
                    counted.is_finite(),
                    "{target:?} in {frames} frames"
                );
                let wanted = if counted.is_finite() { counted } else { 0.0 };
                assert!(
                    (found.losses[0] - wanted).abs() < 1e-11,
                    "{target:?} in {frames} frames"
                );
            }
        }
    }
}

#[test]
fn the_gradient_is_the_slope_of_the_loss() {
    let batch = Batch::noise(
        7,
        9,
        4,
        1,
        &[(9, &[0, 2, 2]), (6, &[3]), (7, &[]), (2, &[2, 2])],
    );
    let found = batch.run(Unalignable::LeaveOut).expect("a loss");
    for position in 0..batch.logits.len() {
        let sum_at = |step: f32| {
            let mut moved = batch.clone();
            moved.logits[position] += step;
            let loss = moved.run(Unalignable::LeaveOut).expect("a loss");
            (
                f64::from(moved.logits[position]),
                loss.losses.iter().sum::<f64>(),
            )
        };
        let ((low, below), (high, above)) = (sum_at(-1e-3), sum_at(1e-3));
        let slope = (above - below) / (high - low);
        let difference = slope - f64::from(found.gradient[position]);
        assert!(
            difference.abs() < 1e-6,
            "{position}: the slope is {slope}, not {}",
            found.gradient[position]
        );
    }
}

#[test]
fn long_utterances_stay_finite() {
    let target: Vec<u32> = (0..300).map(|label| 1 + label % 28).collect();
    let mut batch = Batch::noise(3, 2000, 29, 0, &[(2000, &target)]);
    batch.logits.iter_mut().for_each(|logit| *logit *= 30.0);
    let found = batch.run(Unalignable::Refuse).expect("a loss");
    assert!(found.losses[0].is_finite() && found.losses[0] > 0.0);
    for frame in found.gradient.chunks_exact(29) {
        let sum: f64 = frame.iter().map(|&value| f64::from(value)).sum();
        assert!(
            sum.abs() < 1e-6,
            "softmax and occupancy both sum to 1 in each frame, but differ by {sum}"
        );
    }
}
