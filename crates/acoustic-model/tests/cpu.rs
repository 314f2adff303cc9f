//! The model on the CPU.
#![cfg(feature = "cpu")]

mod checks;

use burn::backend::Flex;
use checks::{Scale, Tolerance};
use padwise_model::BackendChoice;

const SCALE: Scale = Scale {
    goldens: &[],
    shapes: 200,
    steps: 50,
};

backend_checks!(
    Flex,
    BackendChoice::Cpu,
    Default::default(),
    Tolerance::F32,
    SCALE
);
