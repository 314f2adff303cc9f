//! ARPA files: what they may contain, and what errors say.

use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use padwise_decoder::{LanguageModel, Lexicon, ModelLimits};

const MODEL: &str = "Made by a tool.

\\data\\
ngram 1=5
ngram  2 = 2

\\1-grams:
-99\t<s>\t-0.5
-1\t</s>
-0.5 ONE -0.25
-0.75\ttwo
-2\tthree

\\2-grams:
-0.25\t<s> ONE
-0.125 ONE  two 0

\\end\\
";

/// Reads a model for the words `one`, `two` and `em`. Words are normalised as transcripts are.
fn read(bytes: &[u8], limits: ModelLimits) -> Result<LanguageModel, String> {
    let lexicon = Lexicon::spelled(["one", "two", "em"].map(String::from));
    let normalise = |word: &str| word.trim_matches('\'').to_lowercase();
    let model = LanguageModel::parse(Path::new("a.arpa"), bytes, &lexicon, normalise, limits);
    model.map_err(|error| error.to_string())
}

fn parse(text: &str) -> Result<LanguageModel, String> {
    read(text.as_bytes(), ModelLimits::default())
}

/// What the error says if a part of the model is replaced.
fn problem(from: &str, to: &str) -> String {
    assert!(MODEL.contains(from), "{from}");
    parse(&MODEL.replacen(from, to, 1)).expect_err("an invalid model")
}

fn close(found: f32, base_10: f32) -> bool {
    (found - base_10 * std::f32::consts::LN_10).abs() < 1e-5
}

#[test]
fn scores_use_the_longest_n_gram() {
    let model = parse(MODEL).expect("a model");
    assert_eq!(model.order(), 2);
    let (one, after_one) = model.score(model.start(), 0);
    assert!(close(one, -0.25));
    let (two, after_two) = model.score(after_one, 1);
    assert!(close(two, -0.125));
    assert!(close(model.score(after_two, 0).0, -0.5), "without a weight");
    assert!(close(model.score(model.start(), 1).0, -0.5 - 0.75));
    assert!(close(model.end(after_one), -0.25 - 1.0));
    assert!(close(model.unigram(1), -0.75));
    assert_eq!(
        (model.knows(1), model.knows(2), model.knows(99)),
        (true, false, false)
    );
    assert_eq!(model.score(after_one, 2).0, f32::NEG_INFINITY);
    // `two` has neither a weight nor successors.
    assert_eq!((after_two, model.states()), (0, 3));
    assert_eq!(model.successors(after_one).len(), 1);
}

#[test]
fn words_without_a_pronunciation_are_skipped() {
    let text = MODEL.replace("2 = 2", "2=4");
    let text = text.replace("ONE  two 0", "ONE  two 0\n-0.5 three ONE\n-0.5 ONE three");
    let model = parse(&text).expect("a model");
    let skipped = model.skipped();
    assert_eq!((skipped.count, skipped.n_grams), (1, 3));
    assert_eq!(skipped.first, Some(("three".into(), 12)));
}

#[test]
fn unknown_words_use_their_own_n_grams() {
    let text = MODEL.replace("three", "<UNK>\t-0.125");
    let text = text.replace("-0.125 ONE  two", "-0.0625 <UNK> two");
    let model = parse(&text).expect("a model");
    assert!(model.knows(2));
    assert_eq!(model.skipped().count, 0);
    let (unknown, after) = model.score(0, 2);
    assert!(close(unknown, -2.0));
    assert!(close(model.score(after, 1).0, -0.0625));
    assert!(close(model.score(after, 0).0, -0.125 - 0.5));
}

#[test]
fn histories_that_are_not_listed_are_created() {
    let text = MODEL.replace("2 = 2", "2=2\nngram 3=1");
    let text = text.replace("\\end\\", "\\3-grams:\n-0.0625 two two ONE\n\\end\\");
    let model = parse(&text).expect("a model");
    let (first, state) = model.score(0, 1);
    let (second, state) = model.score(state, 1);
    assert!(close(first, -0.75) && close(second, -0.75));
    assert!(close(model.score(state, 0).0, -0.0625));
}

#[test]
fn words_that_become_the_same_are_told_apart_or_refused() {
    // `em` is in the lexicon, so `'em` is not.
    for words in [
        "'em\n-3 em\n-3 em'",
        "em\n-3 'em\n-3 em'",
        "'em\n-3 em'\n-3 em",
    ] {
        let text = MODEL
            .replace("1=5", "1=7")
            .replace("-2\tthree", &format!("-3 {words}"));
        let model = parse(&text).expect("a model");
        assert!(close(model.unigram(2), -3.0));
        assert_eq!(model.skipped().count, 2);
    }
    let text = MODEL.replace("1=5", "1=6");
    let both = |words: &str| parse(&text.replace("three", words)).expect_err("the same word");
    let expected = "a.arpa:13: `em'` and `'em` in line 12 are the same word after normalisation: remove one, or normalise less";
    assert_eq!(both("'em\n-3 em'"), expected);
    let expected = "a.arpa:12: `One` and `ONE` in line 10 are the same word after normalisation: remove one, or normalise less";
    assert_eq!(both("One\n-3 three"), expected);
}

#[test]
fn errors_name_the_line() {
    for (from, to, expected) in [
        (
            "\\data\\",
            "data",
            "19: no line `\\data\\`: not a language model in ARPA format",
        ),
        (
            "ngram 1=5",
            "ngram 1=x",
            "4: `ngram 1=x`: expected `ngram 1=COUNT` or `\\1-grams:`",
        ),
        (
            "ngram  2 = 2",
            "ngram 3=2",
            "5: `ngram 3=2`: expected `ngram 2=COUNT` or `\\1-grams:`",
        ),
        (
            "ngram 1=5\nngram  2 = 2",
            "",
            "6: no counts after `\\data\\`: expected `ngram 1=COUNT`",
        ),
        (
            "\\1-grams:",
            "\\2-grams:",
            "7: `\\2-grams:`: expected `\\1-grams:`",
        ),
        (
            "1=5",
            "1=6",
            "14: 5 1-grams, but `\\data\\` announces 6: copy or make the model again",
        ),
        (
            "1=5",
            "1=4",
            "12: more than 4 1-grams, but `\\data\\` announces 4: copy or make the model again",
        ),
        (
            "2 = 2",
            "2=3",
            "18: 2 2-grams, but `\\data\\` announces 3: copy or make the model again",
        ),
        (
            "\\end\\\n",
            "",
            "18: the file ends within the 2-grams, without `\\end\\`: copy or make it again",
        ),
        (
            "\\end\\",
            "\\3-grams:",
            "18: `\\3-grams:`: expected `\\end\\`",
        ),
        ("\\end\\", "\\data\\", "18: `\\data\\`: expected `\\end\\`"),
        (
            "\\end\\",
            "\\end\\\n\n\\data\\",
            "20: `\\data\\` after `\\end\\`: a file has one model",
        ),
        (
            "-0.75\ttwo",
            "-0.75",
            "11: `-0.75`: expected a log probability, a word and perhaps a back-off weight",
        ),
        (
            "-0.75\ttwo",
            "two",
            "11: log probability `two`: expected a number between -1e9 and 1e9",
        ),
        (
            "-0.75\ttwo",
            "nan\ttwo",
            "11: log probability `nan`: expected a number between -1e9 and 1e9",
        ),
        (
            "-0.75\ttwo",
            "-1e99\ttwo",
            "11: log probability `-1e99`: expected a number between -1e9 and 1e9",
        ),
        (
            "-0.75\ttwo",
            "-0.75\ttwo 1e9",
            "11: back-off weight `1e9`: expected a number between -1e9 and 1e9",
        ),
        (
            "-0.75\ttwo",
            "-0.75\ttwo 0 0",
            "11: `-0.75\\ttwo 0 0`: expected a log probability, a word and perhaps a back-off weight",
        ),
        (
            "-0.75\ttwo",
            "0.5\ttwo",
            "11: positive log probability in `0.5\\ttwo`: expected the base-10 logarithm of a probability",
        ),
        (
            "two\n-2\tthree",
            "two\n-2\ttwo",
            "12: a second unigram for `two`, after line 11: remove one",
        ),
        (
            "-0.75\ttwo",
            "-0.75\tthree",
            "12: a second unigram for `three`: remove one",
        ),
        (
            "ONE  two 0",
            "<s> ONE",
            "16: the same 2-gram as in line 15: remove one",
        ),
        (
            "ONE  two 0",
            "ONE four",
            "16: `four` has no unigram: make the model again",
        ),
        (
            "ONE  two 0",
            "ONE",
            "16: `-0.125 ONE`: expected a log probability, 2 words and perhaps a back-off weight",
        ),
        (
            "ONE  two 0",
            "ONE  two 1",
            "16: `-0.125 ONE  two 1`: 2-grams, the longest, have no back-off weight",
        ),
        (
            "</s>",
            "end",
            "14: no unigram for `</s>`: train the model on whole sentences",
        ),
        (
            "Made by a tool.",
            "iARPA",
            "1: an intermediate file of IRSTLM: convert it to ARPA with compile-lm --text=yes",
        ),
    ] {
        assert_eq!(problem(from, to), format!("a.arpa:{expected}"));
    }
}

#[test]
fn large_models_are_refused_before_they_are_read() {
    let said = problem("2 = 2", "2=900000000");
    assert_eq!(
        said,
        "a.arpa:5: 900000005 n-grams need about 28.8 GB, more than the limit of 4.3 GB: prune the model, or raise the limit"
    );
    let header = "\\data\\\nngram 1=18446744073709551615\n";
    let said = read(
        header.as_bytes(),
        ModelLimits {
            max_bytes: u64::MAX,
        },
    );
    let expected = "a.arpa:2: 18446744073709551615 n-grams, more than 4294967294: prune the model";
    assert_eq!(said.expect_err("too many"), expected);
    let said = read(MODEL.as_bytes(), ModelLimits { max_bytes: 600 });
    let said = said.expect_err("too large");
    assert!(
        said.starts_with("a.arpa:4: 5 n-grams need about 640 bytes"),
        "{said}"
    );
    let orders: String = (1..12).map(|order| format!("ngram {order}=1\n")).collect();
    let said = parse(&format!("\\data\\\n{orders}")).expect_err("too long");
    assert_eq!(
        said,
        "a.arpa:12: n-grams of more than 10 words: prune the model"
    );
}

#[test]
fn compressed_models_are_read_and_truncated_ones_refused() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(MODEL.as_bytes()).expect("memory");
    let bytes = encoder.finish().expect("memory");
    let model = read(&bytes, ModelLimits::default()).expect("a model");
    assert_eq!(model.states(), 3);
    let said = read(&bytes[..bytes.len() - 12], ModelLimits::default()).expect_err("truncated");
    assert!(
        said.ends_with("the gzip file ends too early: copy or compress it again"),
        "{said}"
    );
}
