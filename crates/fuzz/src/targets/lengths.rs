//! Files of utterance lengths. The input is the file, or options, a separator and the file.

use std::collections::HashSet;

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
        "utt_id",
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
    // Column, condition, hop and column of ids, one per line.
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
    let id_column = options.next().filter(|column| !column.is_empty());
    let with_ids = arguments.load_with_ids(id_column.as_deref());
    let without_ids = arguments.load(None);
    match &with_ids {
        Err(error) => drop(error.to_string()),
        Ok(lengths) => {
            let ids = (0..lengths.frames.len()).map(|utterance| lengths.ids.get(utterance));
            let ids: Vec<_> = ids.collect();
            assert!(ids.iter().all(|id| !id.is_empty() && !id.contains('\n')));
            assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
            let frames = without_ids.as_ref().map(|lengths| &lengths.frames);
            assert_eq!(frames.ok(), Some(&lengths.frames), "ids change no length");
        }
    }
    match without_ids {
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
