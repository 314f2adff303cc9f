//! Feature packs.

use padwise_features::Corpus;
use padwise_features::normalisation::{Normalisation, Normalised, Statistics};
use padwise_features::pack::Pack;

use super::read_all;
use crate::{Target, repair, scratch};

pub(super) const PACK: Target = Target {
    name: "pack",
    run,
    words: &[
        "PADPACK\n",
        "UTT\n",
        "\"dims\":",
        "\"dtype\":\"f32\"",
        "\"dtype\":\"f16\"",
        "\"class_names\":null",
        "\"targets\":null",
        "\"unit\":\"chars\"",
        "\"utterances\":",
        "\"left_out\":[",
        "null",
    ],
    repair: Some(repair::pack),
    mutations: 5000,
};

fn run(input: &[u8]) {
    let path = scratch::file("corpus.pack", input);
    let pack = match Pack::open(&path) {
        Ok(pack) => pack,
        Err(error) => return drop(error.to_string()),
    };
    let _ = (pack.statistics().mean(), pack.statistics().std());
    let is_verified = pack.verify().is_ok();
    if is_verified {
        read_all(&pack);
    }
    // `--no-verify` trains on packs as they are: values may be wrong, but every call must return.
    let mut statistics = Statistics::new(Normalisation::Speaker, pack.dims());
    for utterance in 0..pack.len() {
        let _ = pack.targets(utterance);
        if let Ok((features, _)) = pack.read(utterance) {
            let _ = statistics.accumulate(pack.speaker(utterance).unwrap_or_default(), &features);
        }
    }
    if let Ok(normalised) = Normalised::with(&pack, statistics) {
        let _ = normalised.read(0);
    }
}
