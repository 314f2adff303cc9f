//! Long lists of names, shortened for messages.

/// The first `most` names, and how many more there are.
pub fn first_names(
    names: impl ExactSizeIterator<Item = String>,
    most: usize,
    separator: &str,
) -> String {
    let more = names.len().saturating_sub(most);
    let mut shown: Vec<String> = names.take(most).collect();
    if more > 0 {
        shown.push(format!("… and {more} more"));
    }
    shown.join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_shortened() {
        let names = ["a", "b", "c"].map(String::from);
        let of = |most| first_names(names.clone().into_iter(), most, ", ");
        assert_eq!(of(3), "a, b, c");
        assert_eq!(of(1), "a, … and 2 more");
    }
}
