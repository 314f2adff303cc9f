//! The world of one process.

use padwise_parallel::{Alone, MeanError, Reason, World};

#[test]
fn all_operations_return_their_input() {
    let mut world: Box<dyn World> = Box::new(Alone);
    assert_eq!((world.rank(), world.size()), (0, 1));
    let mut values = [1.5, -0.0, f32::INFINITY];
    world.mean(&mut values, 7.0).expect("mean");
    assert_eq!(
        values.map(f32::to_bits),
        [1.5, -0.0, f32::INFINITY].map(f32::to_bits)
    );
    let mut sums = [0.1];
    world.sum(&mut sums).expect("sum");
    assert_eq!(sums, [0.1]);
    let mut bytes = b"task".to_vec();
    world.broadcast(&mut bytes).expect("broadcast");
    assert_eq!(bytes, b"task");
    assert_eq!(world.gather(b"x").expect("gather"), [b"x"]);
    world.finish().expect("finish");
}

#[test]
fn a_weight_of_zero_is_an_error() {
    let error = Alone.mean(&mut [1.0], 0.0).expect_err("no weight");
    assert_eq!(error.reason, Reason::Mean(MeanError::NoWeight(1)));
}
