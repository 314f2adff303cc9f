//! Numbers as people read them.

/// The digits of a whole number with a comma before every three.
pub fn with_thousands(digits: &str) -> String {
    let mut grouped = String::new();
    for (position, digit) in digits.char_indices() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::with_thousands;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(with_thousands("0"), "0");
        assert_eq!(with_thousands("999"), "999");
        assert_eq!(with_thousands("1000"), "1,000");
        assert_eq!(with_thousands("12345678"), "12,345,678");
    }
}
