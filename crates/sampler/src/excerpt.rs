//! Excerpts of input for error messages: short, on one line, without characters that change a terminal or hide text.
//!
//! Every crate of padwise quotes input through this one function, so no file can flood a terminal or send it escape sequences.

/// The longest excerpt, in bytes of the input.
pub const MAX_EXCERPT: usize = 200;

/// Returns the text for a message: at most [`MAX_EXCERPT`] bytes, then `…`. Unprintable characters are escaped.
///
/// ```
/// use padwise_sampler::excerpt::excerpt;
///
/// assert_eq!(excerpt("sorted"), "sorted");
/// assert_eq!(excerpt("a\n\u{1b}[2J"), "a\\n\\u{1b}[2J");
/// assert_eq!(excerpt(&"a".repeat(300)).len(), 200 + "…".len());
/// ```
pub fn excerpt(text: &str) -> String {
    let mut end = text.len().min(MAX_EXCERPT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut shown = String::with_capacity(end);
    for c in text[..end].chars() {
        if is_unprintable(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    if end < text.len() {
        shown.push('…');
    }
    shown
}

/// Returns the text, cut to at most this many characters. The last one is then `…`.
///
/// ```
/// use padwise_sampler::excerpt::shortened;
///
/// assert_eq!(shortened("günstig", 7), "günstig");
/// assert_eq!(shortened("günstig", 4), "gün…");
/// assert_eq!(shortened("a bc", 3), "a…");
/// ```
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Whether a character is a control character or is invisible, for example a mark that reverses the direction of text.
///
/// Names must not contain such characters: two names could look alike, or a name could rearrange the text around it.
pub fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_between_characters() {
        let cut = excerpt(&"é".repeat(1000));
        assert_eq!(cut, "é".repeat(100) + "…");
        assert_eq!(excerpt(&"ééa".repeat(1000)).chars().last(), Some('…'));
        let exact = "x".repeat(MAX_EXCERPT);
        assert_eq!(excerpt(&exact), exact);
    }

    #[test]
    fn nothing_unprintable_remains() {
        let wild =
            "a\u{1b}[31m\u{202e}b\u{2066}\u{200f}\u{61c}\u{feff}\u{7f}\u{9b}\0\r\n\t\u{e0041}";
        assert!(!excerpt(wild).contains(is_unprintable));
        assert_eq!(excerpt("naïve 語 × – ½"), "naïve 語 × – ½");
    }
}
