//! The model on CUDA; `scripts/check_cuda.sh` runs it where there is a GPU.
#![cfg(feature = "cuda")]

mod checks;

use checks::{Scale, Tolerance};
use padwise_model::BackendChoice;
use padwise_model::backend::cuda::Cuda;

const SCALE: Scale = Scale {
    goldens: &[],
    shapes: 200,
    steps: 50,
};

backend_checks!(
    Cuda,
    BackendChoice::Cuda,
    Default::default(),
    Tolerance::TF32,
    SCALE
);
