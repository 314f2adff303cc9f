//! Compares CTC with PyTorch in f64. `tests/golden/make_goldens.py` wrote the file.

use padwise_model::ctc::Unalignable;
use safetensors::{Dtype, SafeTensors};

use crate::batch::Batch;

fn golden(case: &str) -> (Batch, Vec<f64>, Vec<f64>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/ctc.safetensors");
    let bytes = std::fs::read(path).expect("the golden file");
    let file = SafeTensors::deserialize(&bytes).expect("safetensors");
    let tensor = |name: &str| {
        file.tensor(&format!("{case}/{name}"))
            .expect("a tensor of the case")
    };
    let whole = |name: &str| -> Vec<usize> {
        assert_eq!(tensor(name).dtype(), Dtype::I32);
        let four = |bytes: &[u8]| i32::from_le_bytes(bytes.try_into().expect("four bytes"));
        tensor(name)
            .data()
            .chunks_exact(4)
            .map(|bytes| four(bytes) as usize)
            .collect()
    };
    let double = |name: &str| -> Vec<f64> {
        assert_eq!(tensor(name).dtype(), Dtype::F64);
        let eight = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        tensor(name).data().chunks_exact(8).map(eight).collect()
    };
    let single = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("four bytes"));
    let batch = Batch {
        logits: tensor("logits")
            .data()
            .chunks_exact(4)
            .map(single)
            .collect(),
        classes: tensor("logits").shape()[2],
        input_lengths: whole("input_lengths"),
        targets: whole("targets")
            .into_iter()
            .map(|label| label as u32)
            .collect(),
        target_lengths: whole("target_lengths"),
        blank: whole("blank")[0] as u32,
    };
    (batch, double("losses"), double("grad.logits"))
}

#[test]
fn agrees_with_pytorch() {
    for case in [
        "ragged",
        "blank_last",
        "blank_inside",
        "repeats",
        "empty_targets",
        "single_frames",
        "impossible",
        "only_empty",
        "sharp",
        "uniform",
        "long",
    ] {
        let (batch, losses, gradient) = golden(case);
        let found = batch.run(Unalignable::LeaveOut).expect("a loss");
        let infinite: Vec<usize> = (0..losses.len())
            .filter(|&index| losses[index].is_infinite())
            .collect();
        assert_eq!(found.left_out, infinite, "{case}");
        for (index, (found, wanted)) in found.losses.iter().zip(&losses).enumerate() {
            let wanted = if wanted.is_infinite() { 0.0 } else { *wanted };
            assert!(
                (found - wanted).abs() <= 1e-12 * wanted.max(1.0),
                "{case} {index}: {found} is not {wanted}"
            );
        }
        assert_eq!(found.gradient.len(), gradient.len());
        for (position, (&found, &wanted)) in found.gradient.iter().zip(&gradient).enumerate() {
            // Half a unit in the last place of an f32 below 1.
            assert!(
                (f64::from(found) - wanted).abs() < 6e-8,
                "{case} {position}: {found} is not {wanted}"
            );
        }
    }
}
