//! Errors for invalid batches.

use padwise_model::ctc::{CtcError, Unalignable};

use crate::batch::Batch;

#[test]
fn unalignable_utterances_are_named() {
    let batch = Batch::noise(
        2,
        5,
        4,
        0,
        &[(5, &[1, 2]), (3, &[2, 2, 3]), (1, &[1, 2]), (3, &[2, 3, 2])],
    );
    let wanted = CtcError::Unalignable {
        utterances: vec![1, 2],
        frames: 3,
        needed: 4,
    };
    assert_eq!(batch.error(), wanted);
}

#[test]
fn contradictions_are_refused() {
    let fine = Batch::noise(2, 5, 4, 0, &[(5, &[1, 2]), (3, &[3])]);
    fine.run(Unalignable::Refuse).expect("nothing is wrong yet");
    let broken = |change: fn(&mut Batch)| {
        let mut batch = fine.clone();
        change(&mut batch);
        batch.error()
    };
    let label = |label| CtcError::Label {
        utterance: 0,
        label,
        classes: 4,
        blank: 0,
    };
    assert_eq!(
        broken(|batch| batch.blank = 4),
        CtcError::Blank {
            blank: 4,
            classes: 4
        }
    );
    assert_eq!(broken(|batch| batch.targets[1] = 4), label(4));
    assert_eq!(broken(|batch| batch.targets[1] = 0), label(0));
    assert_eq!(
        broken(|batch| batch.targets.push(1)),
        CtcError::Targets { found: 4 }
    );
    assert_eq!(
        broken(|batch| batch.target_lengths[0] = usize::MAX),
        CtcError::Targets { found: 3 }
    );
    assert_eq!(
        broken(|batch| batch.target_lengths.push(0)),
        CtcError::TargetLengths {
            found: 3,
            utterances: 2
        }
    );
    let length = |length| CtcError::InputLength {
        utterance: 1,
        length,
        frames: 5,
    };
    assert_eq!(broken(|batch| batch.input_lengths[1] = 0), length(0));
    assert_eq!(broken(|batch| batch.input_lengths[1] = 6), length(6));
    let logits = CtcError::Logits {
        found: 39,
        utterances: 2,
        classes: 4,
    };
    assert_eq!(broken(|batch| batch.logits.truncate(39)), logits);
    assert_eq!(broken(|batch| batch.logits.clear()), CtcError::EmptyBatch);
    assert_eq!(broken(|batch| batch.classes = 0), CtcError::EmptyBatch);
    assert_eq!(
        broken(|batch| batch.input_lengths.clear()),
        CtcError::EmptyBatch
    );
    let diverged = CtcError::NotFinite {
        utterance: 1,
        frame: 2,
    };
    assert_eq!(broken(|batch| batch.logits[5 * 4] = f32::NAN), diverged);
}
