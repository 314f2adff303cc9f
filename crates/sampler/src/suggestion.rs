//! Suggestions for mistyped names: `sort` for `sorted`, `sotred` for `sorted`.
//!
//! Every crate of padwise uses this one rule, so the same typo gets the same answer in a strategy, a config key and a
//! column name.

/// Names that share fewer characters than this share them by chance.
const SHORTEST_PART: usize = 3;

/// Longer texts are not compared, because that takes quadratic time. Every valid name is shorter.
const LONGEST_NAME: usize = 100;

/// Returns the candidate that the user most likely meant, or `None` if no candidate is similar.
///
/// 1. A candidate that begins with the typed text wins: `bucket` is short for `bucketed`.
/// 2. Otherwise the candidate with the smallest Damerau–Levenshtein distance wins, if the distance is at most a third of
///    the longer name.
/// 3. Otherwise a candidate wins that contains the typed text or is contained in it: `padding` for `pad`. A common
///    beginning counts more than a common middle.
///
/// Ties go to the candidate that contains the typed text, then to the first one. Case is ignored, and `_` and spaces
/// count as `-`.
///
/// ```
/// use padwise_sampler::suggestion::suggest;
///
/// let orders = ["random", "sorted", "semi-sorted", "smart"];
/// assert_eq!(suggest("sort", &orders), Some("sorted"));
/// assert_eq!(suggest("semisorted", &orders), Some("semi-sorted"));
/// assert_eq!(suggest("xyz", &orders), None);
/// ```
pub fn suggest<'a>(typed: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let too_long = |name: &str| name.chars().nth(LONGEST_NAME).is_some();
    if too_long(typed) {
        return None;
    }
    let typed = normalised(typed);
    if typed.is_empty() {
        return None;
    }
    candidates
        .iter()
        .filter(|candidate| !too_long(candidate))
        .filter_map(|&candidate| Some((likeness(&typed, &normalised(candidate))?, candidate)))
        .min_by_key(|&(likeness, _)| likeness)
        .map(|(_, candidate)| candidate)
}

/// How well a candidate matches; the smallest value is the best match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum MatchQuality {
    /// The typed text begins the name; whether the name has more characters.
    Beginning(bool),
    /// The edit distance, and whether the name lacks the typed text.
    Typo(usize, bool),
    /// One is part of the other. Whether neither begins the other, and the difference in length.
    Part(bool, usize),
}

fn likeness(typed: &[char], name: &[char]) -> Option<MatchQuality> {
    let (longer, shorter) = if typed.len() > name.len() {
        (typed, name)
    } else {
        (name, typed)
    };
    let difference = longer.len() - shorter.len();
    let is_part =
        shorter.len() >= SHORTEST_PART && longer.windows(shorter.len()).any(|part| part == shorter);
    if is_part && name.starts_with(typed) {
        return Some(MatchQuality::Beginning(difference > 0));
    }
    let limit = longer.len() / 3;
    if difference <= limit {
        let distance = edit_distance(typed, name);
        if distance <= limit {
            let is_extended = is_part && name.len() >= typed.len();
            return Some(MatchQuality::Typo(distance, !is_extended));
        }
    }
    is_part.then(|| MatchQuality::Part(!longer.starts_with(shorter), difference))
}

fn normalised(name: &str) -> Vec<char> {
    let hyphenated = name.chars().map(|c| match c {
        '_' | ' ' => '-',
        other => other,
    });
    hyphenated.flat_map(char::to_lowercase).collect()
}

/// The Damerau–Levenshtein distance (optimal string alignment): insertions, deletions, substitutions, and swaps of two
/// neighbours.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut two_before = vec![0; b.len() + 1];
    let mut before: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let substituted = before[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substituted.min(before[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(two_before[j - 2] + 1);
            }
        }
        std::mem::swap(&mut two_before, &mut before);
        std::mem::swap(&mut before, &mut row);
    }
    before[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERS: [&str; 6] = [
        "random",
        "sorted",
        "alternated",
        "semi-sorted",
        "bucketed",
        "smart",
    ];
    const OPTIONS: [&str; 7] = [
        "batch",
        "dynamic",
        "dynamic-overshoot",
        "shuffle-batches",
        "shuffle-later",
        "pad",
        "min-chunk",
    ];

    #[test]
    fn typos_and_short_forms_are_recognised() {
        for (typed, expected) in [
            ("sort", "sorted"),
            ("sotred", "sorted"),
            ("SORTED", "sorted"),
            ("semisorted", "semi-sorted"),
            ("semi_sorted", "semi-sorted"),
            ("semi", "semi-sorted"),
            ("bucket", "bucketed"),
            ("buckted", "bucketed"),
            ("altern", "alternated"),
            ("alternate", "alternated"),
            ("smrt", "smart"),
            ("randon", "random"),
        ] {
            assert_eq!(suggest(typed, &ORDERS), Some(expected), "{typed}");
        }
        for (typed, expected) in [
            ("batch-size", "batch"),
            ("padding", "pad"),
            ("overshoot", "dynamic-overshoot"),
            ("dynamic-overshot", "dynamic-overshoot"),
            ("shuffle", "shuffle-batches"),
        ] {
            assert_eq!(suggest(typed, &OPTIONS), Some(expected), "{typed}");
        }
        assert_eq!(suggest("epoch", &["seeds", "epochs"]), Some("epochs"));
        assert_eq!(suggest("gpu", &["cpu", "wgpu", "cuda"]), Some("wgpu"));
    }

    #[test]
    fn unrelated_words_get_no_suggestion() {
        for typed in ["xyz", "lhotse", "se", "", "s", "日本語"] {
            assert_eq!(suggest(typed, &ORDERS), None, "{typed}");
        }
        assert_eq!(suggest("sorted", &[]), None);
        assert_eq!(suggest("", &["", "a"]), None);
    }

    #[test]
    fn edit_distances_are_known_ones() {
        let distance = |a: &str, b: &str| edit_distance(&normalised(a), &normalised(b));
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("widht", "width"), 1);
        assert_eq!(distance("ca", "abc"), 3, "no edits between swapped letters");
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
