//! Checks of what averaging over workers needs: halves of a step, copied states, new optimisers and the dropout of workers.

use padwise_model::{BackendChoice, Trainer, TrainerState, backend};

use super::training::{batch, config, losses};

/// Steps before and after a change. Enough for Adam's running averages to matter.
const STEPS: usize = 4;

fn trainer(choice: BackendChoice) -> Box<dyn Trainer> {
    backend::trainer(choice, config()).expect("a trainer")
}

/// The trainer's state as bits, so that -0 and 0 differ.
fn bits(state: &TrainerState) -> (Vec<u32>, u64, u64) {
    let values = [&state.parameters, &state.first, &state.second];
    let values = values.into_iter().flatten().map(|value| value.to_bits());
    (values.collect(), state.step, state.optimiser_start)
}

fn state(trainer: &dyn Trainer) -> TrainerState {
    trainer.state().expect("a state")
}

/// Gradients that are applied at once change the model like a step, to the bit. Alone, they change nothing.
pub fn halves_equal_a_step(choice: BackendChoice) {
    let (mut whole, mut halves) = (trainer(choice), trainer(choice));
    let expected = losses(whole.as_mut(), 0..STEPS);
    for step in 0..STEPS {
        let before = state(halves.as_ref());
        let found = halves.gradients(batch(step as u64)).expect("gradients");
        assert_eq!(found.counted, labelled(step as u64));
        assert_eq!(
            state(halves.as_ref()).parameters,
            before.parameters,
            "parameters changed before the update"
        );
        halves.apply(&found.values).expect("an update");
    }
    let found = halves.take_losses().expect("losses");
    let found: Vec<u64> = found.iter().map(|loss| loss.sum.to_bits()).collect();
    assert_eq!(found, expected, "losses");
    let [whole, halves] = [whole, halves].map(|trainer| bits(&state(trainer.as_ref())));
    assert!(whole == halves, "states differ after {STEPS} steps");
}

/// Frames of a batch that have a label.
fn labelled(seed: u64) -> u64 {
    batch(seed)
        .lengths
        .iter()
        .map(|&length| u64::from(length))
        .sum()
}

/// A trainer that gets another one's state continues like it. One that goes back to its own earlier state repeats itself.
pub fn states_continue(choice: BackendChoice) {
    let mut first = trainer(choice);
    losses(first.as_mut(), 0..STEPS);
    let middle = state(first.as_ref());
    let expected = losses(first.as_mut(), STEPS..2 * STEPS);
    let end = bits(&state(first.as_ref()));
    assert!(bits(&middle) != end, "nothing was trained");
    let mut second = trainer(choice);
    second.set_state(middle.clone()).expect("same model");
    assert!(
        bits(&state(second.as_ref())) == bits(&middle),
        "a state is not read back"
    );
    for other in [&mut second, &mut first] {
        other.set_state(middle.clone()).expect("same model");
        let found = losses(other.as_mut(), STEPS..2 * STEPS);
        assert_eq!(found, expected, "losses");
        assert!(bits(&state(other.as_ref())) == end, "states differ");
    }
    let mut short = middle;
    short.parameters.pop();
    assert!(second.set_state(short).is_err(), "a parameter is missing");
}

/// With a new optimiser, training differs from continuing, and equals a trainer that starts with these parameters.
pub fn a_reset_optimiser_is_new(choice: BackendChoice) {
    let mut kept = trainer(choice);
    losses(kept.as_mut(), 0..STEPS);
    let middle = state(kept.as_ref());
    let mut reset = middle.clone();
    reset.reset_optimiser();
    assert_eq!(
        (reset.step, reset.optimiser_start),
        (middle.step, middle.step)
    );
    losses(kept.as_mut(), STEPS..2 * STEPS);
    let mut anew = trainer(choice);
    anew.set_state(reset).expect("same model");
    losses(anew.as_mut(), STEPS..2 * STEPS);
    assert_ne!(
        state(anew.as_ref()).parameters,
        state(kept.as_ref()).parameters,
        "a reset changed nothing"
    );
    // The step number selects the outputs to drop, so it is that of the others.
    let mut fresh = trainer(choice);
    let start = state(fresh.as_ref());
    let start = TrainerState {
        parameters: middle.parameters,
        step: middle.step,
        optimiser_start: middle.step,
        ..start
    };
    fresh.set_state(start).expect("same model");
    losses(fresh.as_mut(), STEPS..2 * STEPS);
    let [anew, fresh] = [anew, fresh].map(|trainer| bits(&state(trainer.as_ref())));
    assert!(anew == fresh, "a reset optimiser is not like a new one");
}

/// Workers drop different outputs. Worker 0 drops those of training without workers.
pub fn workers_drop_different_outputs(choice: BackendChoice) {
    let gradients = |worker: Option<usize>| {
        let mut trainer = trainer(choice);
        if let Some(worker) = worker {
            trainer.set_worker(worker);
        }
        let found = trainer.gradients(batch(0)).expect("gradients");
        found
            .values
            .into_iter()
            .map(f32::to_bits)
            .collect::<Vec<_>>()
    };
    let alone = gradients(None);
    let [zero, one, two] = [0, 1, 2].map(|worker| gradients(Some(worker)));
    assert!(
        zero == alone,
        "worker 0 differs from training without workers"
    );
    assert!(
        one != zero && two != zero && one != two,
        "workers drop the same"
    );
    assert!(gradients(Some(1)) == one, "worker 1 does not repeat itself");
}
