//! The valid name that somebody most likely meant.

/// The candidate with the smallest edit distance, if it is near enough to be a slip rather than another word; else
/// one that is a part of the name, or that the name is a part of, as `shuffle` is of `shuffle-batches`.
pub(super) fn nearest(name: &str, candidates: &[&'static str]) -> Option<&'static str> {
    let distances = candidates.iter().map(|&c| (edit_distance(name, c), c));
    let by_distance = distances.min().filter(|(d, c)| *d <= 1 + c.len() / 3);
    let by_part = || {
        let contains = |a: &str, b: &str| b.len() >= SHORTEST_PART && a.contains(b);
        candidates
            .iter()
            .filter(|&&c| contains(c, name) || contains(name, c))
            .min_by_key(|&&c| {
                let begins_alike = c.starts_with(name) || name.starts_with(c);
                (!begins_alike, edit_distance(name, c))
            })
            .copied()
    };
    by_distance.map(|(_, nearest)| nearest).or_else(by_part)
}

/// Two letters in common are no likeness.
const SHORTEST_PART: usize = 3;

/// Levenshtein's distance, over bytes.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let names = ["random", "sorted", "alternated", "semi-sorted"];
        assert_eq!(nearest("sotred", &names), Some("sorted"));
        assert_eq!(nearest("semisorted", &names), Some("semi-sorted"));
        assert_eq!(nearest("alternate", &names), Some("alternated"));
        assert_eq!(nearest("lhotse", &names), None);
        assert_eq!(nearest("semi", &names), Some("semi-sorted"));
        assert_eq!(nearest("se", &names), None);
        assert_eq!(nearest("", &names), None);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}
