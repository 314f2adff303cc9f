//! Pronunciation lexicons: one word per line, followed by its phones.
//!
//! The format is that of the CMU Pronouncing Dictionary and of Kaldi. Further pronunciations of a word repeat it or are
//! marked `WORD(2)`. A line that starts with `;;;` is a comment, and so is everything from a field that starts with `#` on.
//!
//! Kaldi's `lexiconp.txt` has a probability between the word and its phones, which is not used. A number in (0, 1] with a
//! decimal point is one. A `1` is one only if every line has a number there, because X-SAMPA has a phone `1`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use padwise_sampler::excerpt::excerpt;

use crate::error::DecoderError;
use crate::lines::{Lines, open};

/// Maximum length of a line in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// All pronunciations of every word. A word's number is its position in [`words`](Lexicon::words).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lexicon {
    path: PathBuf,
    words: Vec<String>,
    numbers: HashMap<String, u32>,
    entries: Vec<Entry>,
    /// The first entry of each word.
    first: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    word: u32,
    phones: Vec<String>,
    line: u64,
}

/// One way to say a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pronunciation<'a> {
    /// The word's number.
    pub word: u32,
    /// Its phones; never empty.
    pub phones: &'a [String],
    /// The line in the file, from 1.
    pub line: u64,
}

/// A line of the file, before words get numbers.
struct ReadEntry {
    word: String,
    /// Whether normalisation changed more than the case.
    is_respelt: bool,
    phones: Vec<String>,
    /// Whether the first phone may be a probability instead.
    may_be_probability: bool,
    line: u64,
}

impl Lexicon {
    /// Reads a lexicon, plain or compressed with gzip. Its words are normalised like transcripts, so their case need not
    /// agree.
    pub fn read(
        path: impl AsRef<Path>,
        normalise: impl Fn(&str) -> String,
    ) -> Result<Self, DecoderError> {
        let path = path.as_ref();
        Lexicon::parse(path, open(path)?, normalise)
    }

    /// Reads a lexicon from anything; `name` is for messages.
    pub fn parse(
        name: &Path,
        reader: impl BufRead,
        normalise: impl Fn(&str) -> String,
    ) -> Result<Self, DecoderError> {
        let mut lines = Lines::new(name, reader, LONGEST_LINE)?;
        let mut read: Vec<ReadEntry> = Vec::new();
        let mut all_have_numbers = true;
        while lines.advance()? {
            let is_content = |field: &&str| !field.starts_with('#') && !field.starts_with(";;;");
            let fields = lines.text().split_whitespace().take_while(is_content);
            let mut fields = fields.peekable();
            let Some(word) = fields.next() else {
                continue;
            };
            let decimal = fields.next_if(|field| field.contains('.') && is_probability(field));
            let phones: Vec<String> = fields.map(String::from).collect();
            let may_be_probability =
                decimal.is_none() && phones.len() > 1 && is_probability(&phones[0]);
            all_have_numbers &= decimal.is_some() || may_be_probability;
            if phones.is_empty() {
                let word = excerpt(word);
                let reason = format!("no phones for `{word}`: expected a word and its phones");
                return Err(lines.error(reason));
            }
            let word = without_variant(word);
            let normalised = normalise(word);
            read.push(ReadEntry {
                is_respelt: is_respelt(word, &normalised),
                word: normalised,
                phones,
                may_be_probability,
                line: lines.number(),
            });
        }
        if all_have_numbers {
            for entry in read.iter_mut().filter(|entry| entry.may_be_probability) {
                entry.phones.remove(0);
            }
        }
        let plain = read.iter().filter(|entry| !entry.is_respelt);
        let plain: HashSet<&str> = plain.map(|entry| entry.word.as_str()).collect();
        let is_usable = |entry: &ReadEntry| {
            let word = entry.word.as_str();
            // No word of a transcript is empty or has a space, as `x-ray` after normalisation.
            // `'em` becomes `em`. If the lexicon also lists `em`, that entry is the right one.
            let is_word = !word.is_empty() && !word.contains(' ');
            is_word && (!entry.is_respelt || !plain.contains(word))
        };
        let usable: Vec<bool> = read.iter().map(is_usable).collect();
        retain(&mut read, usable);
        if read.is_empty() {
            return Err(DecoderError::content(name, "no words in this lexicon"));
        }
        let entries = read.into_iter();
        let entries = entries.map(|entry| (entry.word, entry.phones, entry.line));
        Ok(Lexicon::new(name, entries))
    }

    /// A lexicon in which each word is spelled by its characters, for CTC on characters.
    ///
    /// ```
    /// use padwise_decoder::Lexicon;
    ///
    /// let lexicon = Lexicon::spelled(["it's".to_owned()]);
    /// assert_eq!(lexicon.phones("it's").expect("a word"), ["i", "t", "'", "s"]);
    /// ```
    pub fn spelled(words: impl IntoIterator<Item = String>) -> Lexicon {
        let words = words.into_iter().filter(|word| !word.is_empty()).zip(1..);
        let entries = words.map(|(word, line)| {
            let characters = word.chars().map(String::from).collect();
            (word, characters, line)
        });
        Lexicon::new(Path::new("spelled words"), entries)
    }

    fn new(path: &Path, entries: impl Iterator<Item = (String, Vec<String>, u64)>) -> Lexicon {
        let (mut words, mut numbers, mut kept) = (Vec::new(), HashMap::new(), Vec::new());
        for (word, phones, line) in entries {
            let word = *numbers.entry(word).or_insert_with_key(|word| {
                words.push(word.clone());
                // A file with more words does not fit into memory.
                u32::try_from(words.len() - 1).unwrap_or(u32::MAX)
            });
            kept.push(Entry { word, phones, line });
        }
        let mut seen = HashSet::new();
        let is_new: Vec<bool> = kept
            .iter()
            .map(|entry| seen.insert((entry.word, entry.phones.as_slice())))
            .collect();
        retain(&mut kept, is_new);
        let mut first = Vec::with_capacity(words.len());
        for (index, entry) in kept.iter().enumerate() {
            // Words are numbered in the order of their first entries.
            if entry.word as usize == first.len() {
                first.push(index);
            }
        }
        Lexicon {
            path: path.into(),
            words,
            numbers,
            entries: kept,
            first,
        }
    }

    /// The words, in the order of their first appearance.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The number of a normalised word.
    pub fn word(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// All pronunciations, in the order of the file. Those of one word differ.
    pub fn pronunciations(&self) -> impl Iterator<Item = Pronunciation<'_>> {
        self.entries.iter().map(|entry| Pronunciation {
            word: entry.word,
            phones: &entry.phones,
            line: entry.line,
        })
    }

    /// The first pronunciation of a normalised word.
    pub fn phones(&self, word: &str) -> Option<&[String]> {
        let word = self.word(word)? as usize;
        Some(&self.entries[self.first[word]].phones)
    }

    /// All phones, in alphabetical order.
    pub fn phone_set(&self) -> BTreeSet<&str> {
        let phones = self.entries.iter().flat_map(|entry| &entry.phones);
        phones.map(String::as_str).collect()
    }

    /// The file it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Keeps the items that are marked.
fn retain<T>(items: &mut Vec<T>, marks: Vec<bool>) {
    let mut marks = marks.into_iter();
    items.retain(|_| marks.next() == Some(true));
}

/// Whether normalisation changed more of a word than the case of its letters.
pub(crate) fn is_respelt(word: &str, normalised: &str) -> bool {
    normalised.to_lowercase() != word.to_lowercase()
}

fn is_probability(field: &str) -> bool {
    let number = field.parse();
    number.is_ok_and(|number: f32| number > 0.0 && number <= 1.0)
}

/// The word without the number of a further pronunciation: `READ(2)` is `READ`.
fn without_variant(word: &str) -> &str {
    let variant = word.strip_suffix(')').and_then(|word| word.split_once('('));
    match variant {
        Some((word, number)) if !word.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
            word
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Like padwise's default: lower case, without punctuation except inside words.
    fn normalise(word: &str) -> String {
        let word = word.replace('-', " ").to_lowercase();
        word.trim_matches(|c: char| c.is_ascii_punctuation()).into()
    }

    fn read(text: &str) -> Result<Lexicon, DecoderError> {
        Lexicon::parse(Path::new("lexicon.txt"), text.as_bytes(), normalise)
    }

    fn listed(lexicon: &Lexicon) -> Vec<String> {
        let pronunciations = lexicon.pronunciations();
        let shown = pronunciations.map(|Pronunciation { word, phones, line }| {
            let word = &lexicon.words()[word as usize];
            format!("{line} {word}: {}", phones.join(" "))
        });
        shown.collect()
    }

    #[test]
    fn all_pronunciations_are_kept_once() {
        let text = ";;; a comment\n'EM AH M\nREAD  R IY D # a verb\nREAD(2) R EH D\nA(N) EY\n,COMMA K\n\nit's IH T S\nem EH M\nX-RAY X\nRead R IY D\n";
        let lexicon = read(text).expect("a lexicon");
        assert_eq!(
            listed(&lexicon),
            [
                "3 read: R IY D",
                "4 read: R EH D",
                "5 a(n: EY",
                "6 comma: K",
                "8 it's: IH T S",
                "9 em: EH M"
            ]
        );
        assert_eq!(lexicon.words(), ["read", "a(n", "comma", "it's", "em"]);
        assert_eq!(lexicon.word("em"), Some(4));
        assert_eq!((lexicon.word("READ"), lexicon.word("x ray")), (None, None));
        let first = |word| lexicon.phones(word).map(|phones| phones.join(" "));
        assert_eq!(first("read").as_deref(), Some("R IY D"));
        assert_eq!(first("x-ray"), None);
        let all: Vec<&str> = lexicon.phone_set().into_iter().collect();
        let expected = ["D", "EH", "EY", "IH", "IY", "K", "M", "R", "S", "T"];
        assert_eq!(all, expected);
        // A word that exists only with punctuation is kept.
        let lexicon = read("'EM AH M\n'Em EH M\n").expect("a lexicon");
        assert_eq!(listed(&lexicon), ["1 em: AH M", "2 em: EH M"]);
    }

    #[test]
    fn probabilities_are_not_phones() {
        let lexicon = read("A 1.0 AH\nA 0.25 EY\nB 1e-0 B IY\n").expect("a lexicon");
        assert_eq!(listed(&lexicon), ["1 a: AH", "2 a: EY", "3 b: B IY"]);
        let lexicon = read("A 1 AH\nA 0.25 EY\nB 0.5 1 n\n").expect("a lexicon");
        assert_eq!(listed(&lexicon), ["1 a: AH", "2 a: EY", "3 b: 1 n"]);
        let sampa = read("in 1 n\nno n o\ni 1\n").expect("a lexicon");
        assert_eq!(listed(&sampa), ["1 in: 1 n", "2 no: n o", "3 i: 1"]);
        let said = read("A 0.5\n").expect_err("no phones").to_string();
        assert!(said.contains("no phones for `A`"), "{said}");
    }

    #[test]
    fn lines_without_phones_are_refused() {
        let said = read("A EY\nB\n").expect_err("no phones").to_string();
        let expected = "lexicon.txt:2: no phones for `B`: expected a word and its phones";
        assert_eq!(said, expected);
        let said = read("# nothing\n").expect_err("empty").to_string();
        assert_eq!(said, "lexicon.txt: no words in this lexicon");
        assert!(Lexicon::read("absent.txt", str::to_owned).is_err());
    }

    #[test]
    fn spelled_words_are_their_characters() {
        let words = ["été", "a", "", "a"].map(String::from);
        let lexicon = Lexicon::spelled(words);
        assert_eq!(listed(&lexicon), ["1 été: é t é", "2 a: a"]);
    }
}
