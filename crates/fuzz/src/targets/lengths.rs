//! Files of utterance lengths. The input is the file, or options, a separator and the file.

use padwise::lengths::LengthArgs;
use padwise_sampler::{Sampler, Strategy};

use crate::{Target, parts, scratch};

pub(super) const LENGTHS: Target = Target {
    name: "lengths",
    run,
    words: &[
        "frames",
        "split=train",
        "\n=====\n",
        "\r\n",
        "\r",
        "id,",
        "10",
        "duration",
        "{\"duration\":",
        "seconds",
    ],
    repair: None,
    mutations: 6000,
};

fn run(input: &[u8]) {
    let parts = parts::split(input);
    let (options, file) = match parts[..] {
        [options, file, ..] => (options, file),
        _ => (&b""[..], input),
    };
    // Column, condition and hop, one per line.
    let options = String::from_utf8_lossy(options);
    let mut options = options.lines().map(str::to_string);
    let arguments = LengthArgs {
        file: Some(scratch::file("lengths.csv", file)),
        column: options.next().filter(|column| !column.is_empty()),
        filters: options
            .next()
            .filter(|f| !f.is_empty())
            .into_iter()
            .collect(),
        hop: options.next().and_then(|hop| hop.parse().ok()),
        features: None,
        profile: None,
        utterances: None,
    };
    match arguments.load(None) {
        Err(error) => drop(error.to_string()),
        Ok(lengths) => {
            assert!(lengths.frames.iter().all(|&frames| frames > 0));
            let strategy = Strategy::parse("sorted,frames=1000", 16);
            let strategy = strategy.expect("a valid strategy");
            let sampler = Sampler::new(strategy, 0).expect("a valid strategy");
            let _ = sampler.plan(&lengths.frames, 0).map(|plan| plan.stats());
        }
    }
}
