//! Names of phones that are not speech.

/// Names without case and surrounding punctuation.
const NAMES: [&str; 14] = [
    "sil", "silence", "sp", "spn", "nsn", "nse", "pau", "pause", "noise", "h#", "epi", "breath",
    "cough", "laughter",
];

/// Whether a phone is silence or noise: `SIL`, `sp`, `+NSN+`, `<sil>`, `pau`, `SIL_B` and similar names.
///
/// Case, surrounding punctuation and Kaldi's word positions (`_B`, `_E`, `_I`, `_S`) make no difference. An empty name is
/// silence, as in the TextGrids of the Montreal Forced Aligner.
///
/// ```
/// use padwise_features::states::is_silence;
///
/// assert!(is_silence("+NSN+") && is_silence("<sil>") && is_silence("SIL_B"));
/// assert!(!is_silence("S") && !is_silence("AH0"));
/// ```
pub fn is_silence(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    let name = name.trim_matches(|c| "+<>[](){}!*_".contains(c));
    let position = ["_b", "_e", "_i", "_s"];
    let name = position
        .iter()
        .find_map(|position| name.strip_suffix(position))
        .unwrap_or(name);
    name.is_empty() || NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::is_silence;

    #[test]
    fn usual_names_of_silence_are_recognised_and_phones_are_not() {
        for name in [
            "SIL", "sil", "sp", "spn", "SPN", "NSN", "+NSN+", "pau", "noise", "[NOISE]", "silence",
            "<sil>", "!SIL", "h#", "", "SIL_S", "spn_B", "_noise_",
        ] {
            assert!(is_silence(name), "{name}");
        }
        for name in [
            "S", "P", "SH", "AH", "AH0", "N_B", "s_p", "NG", "0", "17", "ə",
        ] {
            assert!(!is_silence(name), "{name}");
        }
    }
}
