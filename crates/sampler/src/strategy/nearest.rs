//! The valid name that somebody most likely meant.

/// The candidate with the smallest edit distance, if it is near enough to be a slip rather than another word.
pub(super) fn nearest(name: &str, candidates: &[&'static str]) -> Option<&'static str> {
    candidates
        .iter()
        .map(|&candidate| (edit_distance(name, candidate), candidate))
        .min()
        .filter(|&(distance, candidate)| distance <= 1 + candidate.len() / 3)
        .map(|(_, candidate)| candidate)
}

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
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}
