//! Compares the word error rates of two runs on the same test set.

use crate::findings::Findings;
use crate::record::Run;
use crate::statistics::{Change, Pair, Scale, SeedErrors, bootstrap};

/// The ratio of word error rates, second / first, by a paired bootstrap. None if the test sets differ or a side was not decoded.
pub(super) fn ratio(
    (old, old_row): (&Findings, usize),
    (new, new_row): (&Findings, usize),
) -> Option<Change> {
    let utterances = &old.recorded.words.utterances;
    if *utterances != new.recorded.words.utterances {
        return None;
    }
    let (old_runs, new_runs) = (old.runs(old_row), new.runs(new_row));
    let strategies = [&old_runs, &new_runs]
        .map(|runs| -> SeedErrors { runs.iter().filter_map(Run::word_errors).collect() });
    let words: Vec<u32> = utterances.iter().map(|one| one.words).collect();
    let pair = Pair {
        old: 0,
        new: 1,
        scale: Scale::Ratio,
    };
    bootstrap(&words, &strategies, &[pair]).changes[0]
}
