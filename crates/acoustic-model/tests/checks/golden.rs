//! Golden files: PyTorch's results in float64, written by `tests/golden/make_goldens.py`.
//!
//! They are compiled in, so a test binary can be copied to a machine with a GPU.

use safetensors::SafeTensors;
use safetensors::tensor::Dtype;

/// A golden file by name.
pub fn file(name: &str) -> SafeTensors<'static> {
    macro_rules! files {
        ($($name:literal),*) => {
            match name {
                $($name => include_bytes!(concat!("../golden/", $name, ".safetensors")).as_slice(),)*
                _ => panic!("no golden file {name}"),
            }
        };
    }
    let bytes = files!(
        "ragged_one_layer",
        "unlabelled_two_layers",
        "ragged_three_layers",
        "equal_lengths",
        "one_frame",
        "one_utterance",
        "padding_only_frames",
        "saturated_gates",
        "wide",
        "torch_state",
        "torch_state_answer",
        "optimisers",
        "ctc"
    );
    SafeTensors::deserialize(bytes).expect("a golden file")
}

/// Every case of the model.
pub const CASES: [&str; 9] = [
    "ragged_one_layer",
    "unlabelled_two_layers",
    "ragged_three_layers",
    "equal_lengths",
    "one_frame",
    "one_utterance",
    "padding_only_frames",
    "saturated_gates",
    "wide",
];

/// A tensor's shape.
pub fn shape<const D: usize>(file: &SafeTensors<'_>, name: &str) -> [usize; D] {
    let view = file.tensor(name).expect(name);
    view.shape().try_into().expect("rank")
}

/// A tensor of f32 or f64 as f64.
pub fn floats(file: &SafeTensors<'_>, name: &str) -> Vec<f64> {
    let view = file.tensor(name).expect(name);
    let data = view.data();
    match view.dtype() {
        Dtype::F32 => data
            .chunks_exact(4)
            .map(|b| f64::from(f32::from_le_bytes(b.try_into().expect("4 bytes"))))
            .collect(),
        Dtype::F64 => data
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes(b.try_into().expect("8 bytes")))
            .collect(),
        other => panic!("{name} is {other:?}"),
    }
}

/// A tensor of f32.
pub fn singles(file: &SafeTensors<'_>, name: &str) -> Vec<f32> {
    floats(file, name)
        .into_iter()
        .map(|value| value as f32)
        .collect()
}

/// A tensor of i32.
pub fn integers(file: &SafeTensors<'_>, name: &str) -> Vec<i32> {
    let view = file.tensor(name).expect(name);
    assert_eq!(view.dtype(), Dtype::I32, "{name}");
    view.data()
        .chunks_exact(4)
        .map(|b| i32::from_le_bytes(b.try_into().expect("4 bytes")))
        .collect()
}

/// A tensor of lengths.
pub fn lengths(file: &SafeTensors<'_>, name: &str) -> Vec<u32> {
    integers(file, name).into_iter().map(|n| n as u32).collect()
}
