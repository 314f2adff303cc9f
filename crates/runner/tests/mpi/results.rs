//! MPI processes give the results of one process that trains all workers in turn, bit for bit.

use crate::runs::{Place, mpirun_exists};

fn equals_turns(kind: &str) {
    if !mpirun_exists() {
        return;
    }
    let place = Place::new();
    let common = format!("train.parallel={{workers=[2, 3],{kind}}}");
    place.finish("turns", &[&common, "train.parallel.engine=turns"]);
    place.finish("mpi", &[&common, "train.parallel.engine=mpi"]);
    let (turns, mpi) = (place.learnt("turns"), place.learnt("mpi"));
    assert_eq!(turns.len(), 6, "two rows of three epochs");
    assert_eq!(mpi, turns);
}

#[test]
fn new_optimisers() {
    equals_turns("optimiser-state=\"reset\"");
}

#[test]
fn kept_optimisers() {
    equals_turns("optimiser-state=\"keep\"");
}

#[test]
fn averaged_optimisers() {
    equals_turns("optimiser-state=\"average\"");
}

#[test]
fn averaged_gradients() {
    equals_turns("average=\"step\"");
}
