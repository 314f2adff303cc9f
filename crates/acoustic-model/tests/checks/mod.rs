//! What must be true of the model on every backend: one body for each check, which `cpu.rs`, `wgpu.rs` and `cuda.rs` run on
//! theirs.

pub mod agreement;
pub mod gemm;
pub mod golden;
pub mod goldens;
pub mod optimisers;
pub mod padding;
pub mod random;
pub mod sequences;
pub mod training;

use burn::tensor::backend::Backend;
use burn::tensor::{Tensor, TensorData};

/// How far results may be from the truth, relative to the largest number in the tensor.
#[derive(Clone, Copy)]
pub struct Tolerance(pub f64);

impl Tolerance {
    /// f32 throughout.
    #[allow(dead_code, reason = "CUDA computes in tf32")]
    pub const F32: Self = Self(1e-5);
    /// Matrix multiplications whose factors are rounded to tf32.
    pub const TF32: Self = Self(2e-3);

    /// Fails with the place of the worst difference.
    #[track_caller]
    pub fn check(self, what: &str, found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len(), "{what}: number of values");
        let largest = expected
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        let (worst, error) = found
            .iter()
            .zip(expected)
            .map(|(found, expected)| (found - expected).abs())
            .enumerate()
            .fold((0, 0.0_f64), |(at, most), (index, error)| {
                // Written so that NaN is the worst error of all.
                if most.is_nan() || error <= most {
                    (at, most)
                } else {
                    (index, error)
                }
            });
        let relative = error / largest.max(f64::MIN_POSITIVE);
        assert!(
            relative <= self.0 || (largest == 0.0 && error == 0.0),
            "{what}: off by {relative:.2e} of the largest at {worst}: {} instead of {}",
            found[worst],
            expected[worst]
        );
    }
}

#[test]
#[should_panic(expected = "off by NaN")]
fn a_nan_in_the_middle_is_found() {
    Tolerance::F32.check(
        "a test of the test",
        &[1.0, f64::NAN, 1.0],
        &[1.0, 1.0, 1.0],
    );
}

/// A folder of its own for a test, gone when the test ends.
pub struct Folder(pub std::path::PathBuf);

impl Folder {
    /// An empty folder.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("padwise-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder left behind is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A tensor's numbers on the host.
pub fn numbers<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Vec<f64> {
    tensor.into_data().convert::<f64>().to_vec().expect("f64")
}

/// A tensor's numbers bit for bit.
pub fn bits<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Vec<u32> {
    let values: Vec<f32> = tensor.into_data().to_vec().expect("f32");
    values.into_iter().map(f32::to_bits).collect()
}

/// A tensor on the device.
pub fn on_device<B: Backend, const D: usize>(
    values: &[f32],
    shape: [usize; D],
    device: &B::Device,
) -> Tensor<B, D> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), device)
}

/// Makes every check of this folder a test on one backend.
#[macro_export]
macro_rules! backend_checks {
    ($backend:ty, $choice:expr, $device:expr, $tolerance:expr, $scale:expr) => {
        use padwise_model::Recurrence::{Fused, Reference};

        #[test]
        fn reference_matches_pytorch() {
            checks::goldens::matches_pytorch::<$backend>(
                &$device,
                Reference,
                $tolerance,
                $scale.goldens,
            );
        }

        #[test]
        fn fused_matches_pytorch() {
            checks::goldens::matches_pytorch::<$backend>(&$device, Fused, $tolerance, &[]);
        }

        #[test]
        fn weights_of_pytorch_give_its_outputs() {
            checks::goldens::reads_pytorch_weights::<$backend>(&$device, $tolerance);
        }

        #[test]
        fn padding_cannot_leak() {
            checks::padding::cannot_leak::<$backend>(&$device, Fused, 6);
        }

        #[test]
        fn padding_cannot_leak_in_the_reference() {
            checks::padding::cannot_leak::<$backend>(&$device, Reference, 6);
        }

        #[test]
        fn an_utterance_alone_equals_itself_in_a_batch() {
            checks::padding::alone_equals_inside::<$backend>(&$device, $tolerance);
        }

        #[test]
        fn fused_equals_reference() {
            checks::agreement::fused_equals_reference::<$backend>(
                &$device,
                $scale.shapes,
                $tolerance,
            );
        }

        #[test]
        fn products_are_right() {
            checks::gemm::are_right::<$backend>(&$device, Default::default(), $tolerance);
            checks::gemm::of_ranges_are_right::<$backend>(&$device, $tolerance);
            checks::gemm::column_sums_are_right::<$backend>(&$device, checks::Tolerance::F32);
        }

        #[test]
        fn optimisers_follow_pytorch() {
            checks::optimisers::follow_pytorch::<$backend>(&$device);
        }

        #[test]
        fn dropout_drops_what_the_hash_says() {
            checks::random::dropout_follows_the_hash::<$backend>(&$device);
        }

        #[test]
        fn training_learns_and_resumes() {
            checks::training::learns_and_resumes($choice, $scale.steps);
        }

        #[test]
        fn clipped_training_repeats_itself() {
            checks::training::clipped_training_repeats($choice, 32, $scale.steps);
        }

        #[test]
        fn trainers_side_by_side_learn_the_same() {
            checks::training::side_by_side($choice);
        }

        #[test]
        fn batches_without_labels_are_errors() {
            checks::training::refuses_what_it_cannot_learn_from($choice);
        }

        #[test]
        fn sequences_are_aligned_as_on_the_host() {
            checks::sequences::are_aligned_as_on_the_host::<$backend>(&$device);
            checks::sequences::what_is_not_finite_shows::<$backend>(&$device);
        }

        #[test]
        fn ctc_trains() {
            checks::training::ctc_falls($choice, $scale.steps);
        }
    };
}

/// How much of each check to do: lavapipe compiles every kernel for seconds and runs it slowly.
pub struct Scale {
    /// Cases that the reference skips.
    pub goldens: &'static [&'static str],
    /// Random shapes on which `fused` and `reference` are compared.
    pub shapes: usize,
    /// Steps of training.
    pub steps: usize,
}
