//! Checks of the model for every backend. `cpu.rs`, `wgpu.rs` and `cuda.rs` run them.

pub mod agreement;
pub mod averaging;
pub mod gemm;
pub mod golden;
pub mod goldens;
pub mod losses;
pub mod operands;
pub mod optimisers;
pub mod packing;
pub mod padding;
pub mod random;
pub mod sequences;
pub mod training;

use burn_tensor::backend::Backend;
use burn_tensor::{Tensor, TensorData};
use padwise_model::{BatchLayout, RowLayout};

/// Allowed error, relative to the largest number in the tensor.
#[derive(Clone, Copy)]
pub struct Tolerance(pub f64);

impl Tolerance {
    /// f32 throughout.
    #[allow(dead_code, reason = "CUDA computes in TF32")]
    pub const F32: Self = Self(1e-5);
    /// Matrix multiplications at TF32 precision.
    pub const TF32: Self = Self(2e-3);

    /// Panics with the position of the largest difference.
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
                // Written so that NaN counts as the largest error.
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

/// A temporary folder for a test, deleted at its end.
pub struct Folder(pub std::path::PathBuf);

impl Folder {
    /// Creates an empty folder.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("padwise-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A leftover folder is not a test failure.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A tensor's numbers on the host.
pub fn numbers<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Vec<f64> {
    tensor.into_data().convert::<f64>().to_vec().expect("f64")
}

/// A tensor's numbers as bits.
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

/// A batch of these lengths, padded and packed.
pub fn layouts(lengths: &[u32], frames: usize) -> [RowLayout; 2] {
    [
        RowLayout::padded(lengths, frames),
        RowLayout::packed(lengths, |rows| rows),
    ]
}

/// Time-major values as rows on the device.
pub fn rows_on_device<B: Backend>(
    values: &[f32],
    width: usize,
    layout: &BatchLayout<B>,
    device: &B::Device,
) -> Tensor<B, 2> {
    let rows = layout.host().from_time_major(values.to_vec(), width);
    on_device(&rows, [layout.host().rows(), width], device)
}

/// Time-major features as rows on the device, with zeros in the padding.
pub fn inputs_on_device<B: Backend>(
    values: &[f32],
    width: usize,
    layout: &BatchLayout<B>,
    device: &B::Device,
) -> Tensor<B, 2> {
    let rows = layout.host();
    let mut values = rows.from_time_major(values.to_vec(), width);
    rows.clear_padding(&mut values, width);
    on_device(&values, [rows.rows(), width], device)
}

/// The values of all frames, utterance by utterance, from rows.
pub fn frames_of<E: Copy>(rows: &[E], width: usize, layout: &RowLayout) -> Vec<E> {
    let utterances = layout.lengths().iter().enumerate();
    let frames = utterances
        .flat_map(|(utterance, &length)| (0..length as usize).map(move |t| (utterance, t)));
    frames
        .flat_map(|(utterance, t)| rows[layout.row(utterance, t) * width..][..width].to_vec())
        .collect()
}

/// Generates all checks of this folder as tests on one backend.
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
        fn trainers_ignore_padding() {
            checks::padding::trainers_ignore_it($choice, 6);
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
        fn gradients_may_have_any_size() {
            checks::agreement::gradients_of_any_size::<$backend>(&$device, 8, Fused);
        }

        #[test]
        fn exploding_gradients_are_right() {
            checks::agreement::exploding_gradients::<$backend>(&$device, 8, 3, Fused, $tolerance);
        }

        #[test]
        fn frame_losses_are_right() {
            checks::losses::are_right::<$backend>(&$device, Default::default(), $tolerance);
        }

        #[test]
        fn gemms_are_right() {
            checks::gemm::are_right::<$backend>(&$device, Default::default(), $tolerance);
            checks::gemm::of_ranges_are_right::<$backend>(&$device, $tolerance);
            checks::gemm::column_sums_are_right::<$backend>(&$device, checks::Tolerance::F32);
            checks::gemm::results_fit_into_a_vector::<$backend>(&$device);
            checks::gemm::matrices_of_a_vector_are_right::<$backend>(&$device, $tolerance);
            checks::gemm::pairs_equal_single_products::<$backend>(&$device);
            checks::gemm::biases_and_magnitudes_are_right::<$backend>(&$device, $tolerance);
        }

        #[test]
        fn optimisers_follow_pytorch() {
            checks::optimisers::follow_pytorch::<$backend>(&$device);
        }

        #[test]
        fn dropout_follows_the_hash() {
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
            checks::training::rejects_invalid_batches($choice);
        }

        #[test]
        fn sequences_are_aligned_as_on_the_host() {
            checks::sequences::are_aligned_as_on_the_host::<$backend>(&$device);
            checks::sequences::non_finite_scores_are_reported::<$backend>(&$device);
        }

        #[test]
        fn gradients_then_update_equal_a_step() {
            checks::averaging::halves_equal_a_step($choice);
        }

        #[test]
        fn states_continue_exactly() {
            checks::averaging::states_continue($choice);
        }

        #[test]
        fn a_reset_optimiser_is_new() {
            checks::averaging::a_reset_optimiser_is_new($choice);
        }

        #[test]
        fn workers_drop_different_outputs() {
            checks::averaging::workers_drop_different_outputs($choice);
        }

        #[test]
        fn packed_batches_train_like_padded_ones() {
            checks::packing::equals_padding($choice, 8, $tolerance);
        }

        #[test]
        fn ctc_trains() {
            checks::training::ctc_loss_decreases($choice, $scale.steps);
        }
    };
}

/// Sizes of the checks. Mesa's lavapipe takes seconds to compile each kernel and runs it slowly.
pub struct Scale {
    /// Golden cases that the reference skips.
    pub goldens: &'static [&'static str],
    /// Random shapes on which `fused` and `reference` are compared.
    pub shapes: usize,
    /// Steps of training.
    pub steps: usize,
}
