//! NumPy arrays. The input is the features and, after a separator, the labels.

use padwise_features::labels::{FrameLabels, FrameTiming};
use padwise_features::npy::{NpyCorpus, read_labels};

use super::read_all;
use crate::{Target, parts, scratch};

pub(super) const NPY: Target = Target {
    name: "npy",
    run,
    words: &[
        "'descr': '<f4'",
        "'descr': '>f8'",
        "'descr': '<f2'",
        "'descr': '<i8'",
        "'descr': '|b1'",
        "'descr': '|u1'",
        "'fortran_order': True",
        "'shape': (",
        "(0, 4)",
        "(18446744073709551615, 2)",
        "\n=====\n",
    ],
    repair: None,
    mutations: 6000,
};

fn run(input: &[u8]) {
    let parts = parts::split(input);
    let folder = scratch::files("npy", &["a.npy", "a.labels.npy"], &parts);
    match NpyCorpus::folder(&folder) {
        Ok(corpus) => read_all(&corpus),
        Err(error) => drop(error.to_string()),
    }
    let path = folder.join("a.npy");
    if let Ok(numbers) = read_labels(&path) {
        let timing = FrameTiming::counted(0.01).expect("a valid hop");
        let labels = FrameLabels::read_each([("a", path.as_path())], "phones", "sil");
        let _ = labels.map(|labels| labels.of("a", numbers.len() as u32, timing).map(|_| ()));
    }
}
