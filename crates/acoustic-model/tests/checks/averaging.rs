//! Checks of what averaging over workers needs: halves of a step, copied states, new optimisers and the dropout of workers.

use padwise_model::{BackendChoice, OptimiserSnapshot, Trainer, backend};

use super::training::{batch, config, losses};

/// Steps before and after a change. Enough for Adam's running averages to matter.
const STEPS: usize = 4;

fn trainer(choice: BackendChoice) -> Box<dyn Trainer> {
    backend::trainer(choice, config()).expect("a trainer")
}

/// Everything that training changes.
#[derive(Clone)]
struct State {
    parameters: Vec<f32>,
    optimiser: OptimiserSnapshot,
}

impl State {
    fn of(trainer: &dyn Trainer) -> Self {
        Self {
            parameters: trainer.parameters().expect("parameters"),
            optimiser: trainer.optimiser().expect("an optimiser"),
        }
    }

    /// The values as bits, so that -0 and 0 differ.
    fn bits(&self) -> (Vec<u32>, u64, u64) {
        let averages = self.optimiser.averages.as_ref().expect("read averages");
        let values = [&self.parameters, &averages.first, &averages.second];
        let values = values.into_iter().flatten().map(|value| value.to_bits());
        (values.collect(), self.optimiser.step, self.optimiser.start)
    }

    fn give(&self, trainer: &mut dyn Trainer) {
        trainer
            .set_parameters(&self.parameters)
            .expect("same model");
        let optimiser = self.optimiser.clone();
        trainer.set_optimiser(optimiser).expect("same model");
    }
}

/// Gradients that are applied at once change the model like a step, to the bit. Alone, they change nothing.
pub fn halves_equal_a_step(choice: BackendChoice) {
    let (mut whole, mut halves) = (trainer(choice), trainer(choice));
    let expected = losses(whole.as_mut(), 0..STEPS);
    for step in 0..STEPS {
        let before = halves.parameters().expect("parameters");
        let found = halves.gradients(batch(step as u64)).expect("gradients");
        assert_eq!(found.counted, labelled(step as u64));
        assert_eq!(
            halves.parameters().expect("parameters"),
            before,
            "parameters changed before the update"
        );
        halves.apply(&found.values).expect("an update");
    }
    let found = halves.take_losses().expect("losses");
    let found: Vec<u64> = found.iter().map(|loss| loss.sum.to_bits()).collect();
    assert_eq!(found, expected, "losses");
    let [whole, halves] = [whole, halves].map(|trainer| State::of(trainer.as_ref()).bits());
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
    let middle = State::of(first.as_ref());
    let expected = losses(first.as_mut(), STEPS..2 * STEPS);
    let end = State::of(first.as_ref()).bits();
    assert!(middle.bits() != end, "nothing was trained");
    let mut second = trainer(choice);
    middle.give(second.as_mut());
    assert_eq!(second.steps(), middle.optimiser.step);
    assert!(
        State::of(second.as_ref()).bits() == middle.bits(),
        "a state is not read back"
    );
    for other in [&mut second, &mut first] {
        middle.give(other.as_mut());
        let found = losses(other.as_mut(), STEPS..2 * STEPS);
        assert_eq!(found, expected, "losses");
        assert!(State::of(other.as_ref()).bits() == end, "states differ");
    }
    let mut short = middle.optimiser;
    short.averages.as_mut().expect("averages").second.pop();
    assert!(second.set_optimiser(short).is_err(), "a value is missing");
}

/// With a new optimiser, training differs from continuing, and equals a trainer that starts with these parameters.
pub fn a_reset_optimiser_is_new(choice: BackendChoice) {
    let mut kept = trainer(choice);
    losses(kept.as_mut(), 0..STEPS);
    let parameters = kept.parameters().expect("parameters");
    let step = kept.steps();
    let mut anew = trainer(choice);
    losses(anew.as_mut(), 0..STEPS);
    anew.set_optimiser(OptimiserSnapshot::anew(step))
        .expect("an optimiser");
    for trainer in [&mut kept, &mut anew] {
        losses(trainer.as_mut(), STEPS..2 * STEPS);
    }
    let [kept, anew] = [kept, anew].map(|trainer| State::of(trainer.as_ref()));
    assert_ne!(anew.parameters, kept.parameters, "a reset changed nothing");
    // The step number selects the outputs to drop, so it is that of the others.
    let mut fresh = trainer(choice);
    let mut optimiser = fresh.optimiser().expect("an optimiser");
    (optimiser.step, optimiser.start) = (step, step);
    State {
        parameters,
        optimiser,
    }
    .give(fresh.as_mut());
    losses(fresh.as_mut(), STEPS..2 * STEPS);
    let fresh = State::of(fresh.as_ref());
    assert!(
        anew.bits() == fresh.bits(),
        "a reset optimiser is not like a new one"
    );
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
