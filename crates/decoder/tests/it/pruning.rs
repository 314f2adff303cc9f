//! Narrow beams, few active nodes, and scores that are not numbers.

use padwise_decoder::{Ctc, Decoded, Decoder, Hmm, SearchSettings, Workspace};
use proptest::prelude::*;

use crate::task::{CLASSES, FILLERS, PHONES, Task, between, tasks};

/// Decodes a task with a hybrid model or with CTC.
fn decode(
    task: &Task,
    is_ctc: bool,
    settings: SearchSettings,
    change: impl Fn(&mut [f32]),
) -> Decoded {
    let lexicon = task.lexicon();
    let model = task.model(&lexicon);
    let phones = PHONES.map(String::from);
    let network = if is_ctc {
        let (symbols, space, fillers) = (&phones[2..], None, &[][..]);
        let ctc = Ctc {
            symbols,
            space,
            fillers,
        };
        ctc.network(&lexicon, &model)
    } else {
        let hmm = Hmm {
            phones: &phones,
            fillers: &FILLERS,
            classes: CLASSES,
            durations: &[9.0, 12.0, 4.0, 3.0, 7.5],
            states: &|_, phone, _| [0, 1, 2].map(|state| task.classes[3 * phone + state]),
        };
        hmm.network(&lexicon, &model)
    };
    let network = network.expect("a network");
    let mut scores = task.frames(network.classes()).to_vec();
    change(&mut scores);
    let decoder = Decoder {
        network: &network,
        model: &model,
        settings,
    };
    decoder.decode(&scores, &mut Workspace::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_narrow_beam_never_gives_a_better_score(
        task in tasks(),
        is_ctc in any::<bool>(),
        beam in between(0.0, 30.0),
        max_active in 1..20_usize,
    ) {
        let wide = decode(&task, is_ctc, task.settings(), |_| {});
        let settings = SearchSettings { beam, max_active, ..task.settings() };
        let narrow = decode(&task, is_ctc, settings, |_| {});
        // The score of an incomplete path lacks the end of its last word.
        if narrow.complete {
            prop_assert!(wide.complete);
            prop_assert!(narrow.score <= wide.score + 1e-3, "{} > {}", narrow.score, wide.score);
        }
    }

    #[test]
    fn one_active_node_still_gives_an_answer(task in tasks(), is_ctc in any::<bool>()) {
        let settings = SearchSettings { beam: 50.0, max_active: 1, ..task.settings() };
        let found = decode(&task, is_ctc, settings, |_| {});
        prop_assert!(found.score.is_finite(), "{found:?}");
    }

    #[test]
    fn a_bad_frame_ends_no_path(
        task in tasks(),
        is_ctc in any::<bool>(),
        frame in any::<prop::sample::Index>(),
    ) {
        prop_assume!(task.frames > 0);
        let classes = if is_ctc { 4 } else { CLASSES };
        let start = frame.index(task.frames) * classes;
        let settings = task.settings();
        let unchanged = decode(&task, is_ctc, settings, |_| ());
        for bad in [f32::NAN, -f32::NAN, f32::NEG_INFINITY] {
            let found = decode(&task, is_ctc, settings, |scores| scores[start..start + classes].fill(bad));
            prop_assert_eq!(found.complete, unchanged.complete, "{:?}", found);
            prop_assert!(!found.complete || found.score < unchanged.score);
        }
    }

    #[test]
    fn single_scores_may_be_anything(
        task in tasks(),
        is_ctc in any::<bool>(),
        at in any::<prop::sample::Index>(),
        score in prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN]),
    ) {
        prop_assume!(task.frames > 0);
        let _ = decode(&task, is_ctc, task.settings(), |scores| scores[at.index(scores.len())] = score);
    }

    #[test]
    fn no_frames_give_no_words(task in tasks(), is_ctc in any::<bool>()) {
        let task = Task { frames: 0, ..task };
        let found = decode(&task, is_ctc, task.settings(), |_| {});
        let lexicon = task.lexicon();
        let model = task.model(&lexicon);
        let end = f64::from(task.scale * model.end(model.start()));
        let expected = Decoded { words: vec![], score: end, complete: true, mean_active: 0.0 };
        prop_assert_eq!(found, expected);
    }
}
