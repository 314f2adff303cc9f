//! What errors say if a network cannot be built.

use std::path::Path;

use padwise_decoder::{Ctc, Hmm, LanguageModel, Lexicon, ModelLimits};

const MODEL: &str = "\\data\\
ngram 1=3

\\1-grams:
-99 <s>
-1 </s>
-1 one

\\end\\
";

/// The description of a hybrid model, which tests change.
struct Description {
    lexicon: String,
    phones: Vec<String>,
    fillers: Vec<usize>,
    durations: Vec<f32>,
}

impl Default for Description {
    fn default() -> Self {
        Description {
            lexicon: "one a b\n".into(),
            phones: ["SIL", "a", "b"].map(String::from).to_vec(),
            fillers: vec![0],
            durations: vec![5.0; 3],
        }
    }
}

impl Description {
    fn models(&self) -> (Lexicon, LanguageModel) {
        let name = Path::new("lexicon.txt");
        let lexicon = Lexicon::parse(name, self.lexicon.as_bytes(), str::to_owned);
        let lexicon = lexicon.expect("a lexicon");
        let (name, limits) = (Path::new("a.arpa"), ModelLimits::default());
        let model = LanguageModel::parse(name, MODEL.as_bytes(), &lexicon, str::to_owned, limits);
        (lexicon, model.expect("a model"))
    }

    /// The error of a hybrid model.
    fn hmm(&self) -> String {
        let (lexicon, model) = self.models();
        let hmm = Hmm {
            phones: &self.phones,
            fillers: &self.fillers,
            classes: self.phones.len(),
            durations: &self.durations,
            states: &|_, phone, _| [phone as u16; 3],
        };
        let network = hmm.network(&lexicon, &model);
        network.expect_err("an error").to_string()
    }

    /// The error of a CTC model.
    fn ctc(&self, space: Option<usize>) -> String {
        let (lexicon, model) = self.models();
        let ctc = Ctc {
            symbols: &self.phones,
            space,
            fillers: &[],
        };
        let network = ctc.network(&lexicon, &model);
        network.expect_err("an error").to_string()
    }

    /// Both kinds of model must say the same.
    fn both(&self) -> String {
        let said = self.hmm();
        assert_eq!(said, self.ctc(None));
        said
    }
}

#[test]
fn an_unknown_phone_is_named_with_its_line() {
    let lexicon = "one a b\none a x\n".into();
    let said = Description {
        lexicon,
        ..Default::default()
    }
    .both();
    assert_eq!(
        said,
        "lexicon.txt:2: phone `x` of `one` is not a class of the model; the classes are SIL a b"
    );
}

#[test]
fn a_long_pronunciation_is_refused() {
    let lexicon = format!("one{}\n", " a".repeat(300));
    let said = Description {
        lexicon,
        ..Default::default()
    }
    .both();
    assert_eq!(
        said,
        "lexicon.txt:1: a pronunciation of 300 phones: expected one word and its phones"
    );
}

#[test]
fn words_must_be_in_the_language_model() {
    let lexicon = "two a b\n".into();
    let said = Description {
        lexicon,
        ..Default::default()
    }
    .both();
    assert_eq!(
        said,
        "no word of lexicon.txt is in the language model: check that both use the same spelling and case"
    );
}

#[test]
fn too_many_phones_are_refused() {
    let with = |count: usize| {
        let names = (0..count).map(|number| format!("p{number}"));
        Description {
            lexicon: format!("one p{}\n", count - 1),
            phones: names.collect(),
            durations: vec![5.0; count],
            ..Default::default()
        }
    };
    assert_eq!(
        with(128).both(),
        "128 phones, the limit is 127: merge some of them"
    );
    let most = with(127);
    let (lexicon, model) = most.models();
    let hmm = Hmm {
        phones: &most.phones,
        fillers: &[0],
        classes: 127,
        durations: &most.durations,
        states: &|_, phone, _| [phone as u16; 3],
    };
    assert_eq!(
        hmm.network(&lexicon, &model).map(|network| network.words()),
        Ok(1)
    );
}

#[test]
fn durations_must_fit_the_phones() {
    let said = |durations| {
        Description {
            durations,
            ..Default::default()
        }
        .hmm()
    };
    assert_eq!(
        said(vec![5.0; 2]),
        "2 mean durations for 3 phones: give one for each"
    );
    assert_eq!(
        said(vec![5.0, 0.0, 5.0]),
        "a mean duration of 0 frames: it must be above 0"
    );
    assert_eq!(
        said(vec![5.0, f32::NAN, 5.0]),
        "a mean duration of NaN frames: it must be above 0"
    );
}

#[test]
fn silence_and_space_must_exist() {
    for fillers in [vec![], vec![3]] {
        let said = Description {
            fillers,
            ..Default::default()
        }
        .hmm();
        assert_eq!(said, "no silence phone: name at least one");
    }
    let said = Description::default().ctc(Some(3));
    assert_eq!(said, "symbol 3 is the space, but there are 3 symbols");
}
