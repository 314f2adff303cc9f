//! Padding and the other utterances of a batch change no bit.

use padwise_model::ctc::Unalignable;

use crate::batch::Batch;

#[test]
fn a_batch_equals_its_utterances_alone() {
    let utterances: [(usize, &[u32]); 3] = [(8, &[1, 2, 1]), (5, &[3, 3]), (3, &[2])];
    let batch = Batch::noise(11, 8, 4, 0, &utterances);
    let together = batch.run(Unalignable::Refuse).expect("a loss");
    for (index, &(length, target)) in utterances.iter().enumerate() {
        let rows = |values: &[f32]| -> Vec<f32> {
            let mine = values.chunks_exact(4).skip(index).step_by(3).take(length);
            mine.flatten().copied().collect()
        };
        let mut alone = Batch::noise(0, length, 4, 0, &[(length, target)]);
        alone.logits = rows(&batch.logits);
        let alone = alone.run(Unalignable::Refuse).expect("a loss");
        assert_eq!(alone.losses[0].to_bits(), together.losses[index].to_bits());
        assert_eq!(alone.gradient, rows(&together.gradient));
    }
}

#[test]
fn padding_cannot_leak() {
    let batch = Batch::noise(
        5,
        12,
        5,
        0,
        &[
            (12, &[1, 2]),
            (4, &[3, 3]),
            (1, &[4]),
            (2, &[1, 1]),
            (7, &[]),
        ],
    );
    let clean = batch.run(Unalignable::LeaveOut).expect("a loss");
    for junk in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -0.0] {
        let mut dirty = batch.clone();
        for position in 0..dirty.logits.len() {
            if dirty.is_padding(position) {
                dirty.logits[position] = junk;
            }
        }
        let dirty = dirty.run(Unalignable::LeaveOut).expect("a loss");
        assert_eq!(bits(&dirty.gradient), bits(&clean.gradient), "{junk}");
        assert_eq!(dirty.losses, clean.losses, "{junk}");
    }
    for (position, &value) in clean.gradient.iter().enumerate() {
        let must_be_zero = batch.is_padding(position) || position / batch.classes % 5 == 3;
        assert!(!must_be_zero || value.to_bits() == 0, "{position}");
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}
