//! Compares the word error rates of two runs on the same test set.

use crate::findings::Findings;
use crate::record::{Recorded, Run};
use crate::statistics::{Change, Pair, Scale, SeedErrors, bootstrap};

/// A warning if both records have word error rates, but on different test utterances.
pub(super) fn doubt(old: &Recorded, new: &Recorded) -> Option<String> {
    let both_decoded = !old.words.rows.is_empty() && !new.words.rows.is_empty();
    (both_decoded && !same_utterances(old, new)).then(|| {
        "word error rates are not compared: the records have different test utterances; decode both with the same test set".into()
    })
}

/// Whether two records have the same test utterances.
pub(super) fn same_utterances(old: &Recorded, new: &Recorded) -> bool {
    old.words.utterances == new.words.utterances
}

/// The change of the word error rate by a paired bootstrap. None if a side was not decoded, or if the ratio is undefined.
///
/// One common seed shows a difference between two trained models, not between two strategies. So it is not tested.
pub(super) fn change(
    (old, old_row): (&Findings, usize),
    (new, new_row): (&Findings, usize),
    scale: Scale,
) -> Option<Change> {
    let (old_runs, new_runs) = (old.runs(old_row), new.runs(new_row));
    let strategies = [&old_runs, &new_runs].map(|runs| word_errors(runs));
    let utterances = &old.recorded.words.utterances;
    let words: Vec<u32> = utterances.iter().map(|one| one.words).collect();
    let pair = Pair {
        old: 0,
        new: 1,
        scale,
    };
    let change = bootstrap(&words, &strategies, &[pair]).changes[0]?;
    let is_testable = has_enough_seeds(&strategies);
    Some(Change {
        tested: change.tested.filter(|_| is_testable),
        ..change
    })
}

/// The word errors of each run, sorted by seed: the bootstrap pairs runs by their position.
fn word_errors<'a>(runs: &[Run<'a>]) -> SeedErrors<'a> {
    let mut errors: SeedErrors = runs.iter().filter_map(Run::word_errors).collect();
    errors.sort_by_key(|&(seed, _)| seed);
    errors
}

/// Whether there are at least two common seeds; or at least two on each side, if none are common.
fn has_enough_seeds([old, new]: &[SeedErrors; 2]) -> bool {
    let is_common = |&&(seed, _): &&(u64, &[u32])| new.iter().any(|&(other, _)| other == seed);
    match old.iter().filter(is_common).count() {
        0 => old.len() > 1 && new.len() > 1,
        common => common > 1,
    }
}
