//! The phones: their names and groups.

/// Number of phones, including silence.
pub(super) const PHONES: usize = 41;
/// Number of spoken phones.
pub(super) const SPOKEN: usize = PHONES - 1;
/// The phone number of silence.
pub(super) const SILENCE: u8 = 0;
/// States of a phone: beginning, middle and end.
pub(super) const STATES: usize = 3;

/// Phones by number. Similar phones are neighbours, which the tying of states relies on: contexts whose phones are
/// neighbours in this list share a class. The names come from ARPAbet; nothing else resembles English.
#[rustfmt::skip]
pub(super) const NAMES: [&str; PHONES] = [
    "SIL", // silence
    "IY", "IH", "EH", "EY", "AE", // front vowels
    "AX", "AH", "ER", "AA", "AY", "AW", // central and open vowels
    "AO", "OY", "OW", "UH", "UW", // back vowels
    "W", "Y", "L", "R", // glides and liquids
    "M", "N", "NG", // nasals
    "B", "D", "G", "JH", // voiced stops
    "P", "T", "K", "CH", // voiceless stops
    "V", "DH", "Z", "ZH", // voiced fricatives
    "F", "TH", "S", "SH", "HH", // voiceless fricatives
];

/// First phone of each kind. Phones of one kind sound similar.
const KIND_STARTS: [u8; 10] = [0, 1, 6, 12, 17, 21, 24, 28, 32, 36];
/// Number of kinds.
pub(super) const KINDS: usize = KIND_STARTS.len();

/// Kind of a phone.
pub(super) fn kind(phone: u8) -> usize {
    KIND_STARTS.partition_point(|&start| start <= phone) - 1
}

/// Whether a phone is a vowel. Vowels and consonants tend to alternate.
pub(super) fn is_vowel(phone: u8) -> bool {
    (1..17).contains(&phone)
}

/// Pairs of phones that speakers of the second accent exchange.
pub(super) const SWAPPED_PAIRS: [(u8, u8); 4] = [(2, 3), (25, 33), (29, 37), (19, 20)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_start_at_the_listed_phones() {
        let firsts = ["SIL", "IY", "AX", "AO", "W", "M", "B", "P", "V", "F"];
        let mut of_phone = 0;
        for (phone, name) in NAMES.iter().enumerate() {
            if phone > 0 && firsts.contains(name) {
                of_phone += 1;
            }
            assert_eq!(kind(phone as u8), of_phone, "{name}");
        }
        assert_eq!(kind(40), KINDS - 1);
    }

    #[test]
    fn each_phone_is_swapped_with_one_other_at_most() {
        let mut swapped: Vec<u8> = SWAPPED_PAIRS.iter().flat_map(|&(a, b)| [a, b]).collect();
        swapped.sort_unstable();
        swapped.dedup();
        assert_eq!(swapped.len(), 2 * SWAPPED_PAIRS.len());
    }
}
