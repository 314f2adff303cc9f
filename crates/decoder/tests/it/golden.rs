//! The search against the results of an independent decoder, kaldi-decoder: see `tests/golden/README.md`.
//!
//! A search without pruning takes seconds, so one result per folder is compared. Set `PADWISE_ALL_GOLDENS=1` to compare all.

use std::path::{Path, PathBuf};

use padwise_decoder::{
    Ctc, Decoder, Hmm, LanguageModel, Lexicon, ModelLimits, Network, SearchSettings, Workspace,
};

/// What 32-bit arithmetic may change.
const TOLERANCE: f64 = 0.01;
/// A step of the bytes in `posteriors.u8`.
const STEP: f32 = -0.1;

fn golden(path: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    folder.join(path)
}

fn text(path: &str) -> String {
    std::fs::read_to_string(golden(path)).expect("a golden file")
}

fn lines(path: &str) -> Vec<String> {
    text(path).lines().map(str::to_owned).collect()
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().ok().expect("a number")
}

fn numbers(path: &str) -> Vec<f32> {
    lines(path).iter().map(|line| number(line)).collect()
}

/// The rows of a table, by the names of its columns.
fn table<const COLUMNS: usize>(path: &str, columns: [&str; COLUMNS]) -> Vec<[String; COLUMNS]> {
    let lines = lines(path);
    let header: Vec<&str> = lines[0].split(',').collect();
    let positions = columns.map(|name| header.iter().position(|column| *column == name));
    let rows = lines[1..].iter().map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        positions.map(|at| at.map_or_else(String::new, |at| fields[at].to_owned()))
    });
    rows.collect()
}

fn lexicon_and_model() -> (Lexicon, LanguageModel) {
    let lexicon = Lexicon::read(golden("lexicon.txt"), str::to_owned).expect("a lexicon");
    let limits = ModelLimits::default();
    let model = LanguageModel::read(golden("lm.arpa"), &lexicon, str::to_owned, limits);
    (lexicon, model.expect("a model"))
}

/// Decodes the utterances of a folder with all settings. Returns the number of results in the folder.
fn compare(folder: &str, network: &Network, lexicon: &Lexicon, model: &LanguageModel) -> usize {
    let classes = network.classes();
    let posteriors = std::fs::read(golden(&format!("{folder}/posteriors.u8"))).expect("bytes");
    let mut utterances = Vec::new();
    let mut rest = &posteriors[..];
    for [id, frames] in table(&format!("{folder}/utterances.csv"), ["id", "frames"]) {
        let (own, others) = rest.split_at(number::<usize>(&frames) * classes);
        utterances.push((id, own));
        rest = others;
    }
    assert!(rest.is_empty(), "{folder}: more posteriors than frames");
    let columns = [
        "lm_scale",
        "word_penalty",
        "prior_scale",
        "id",
        "score",
        "words",
    ];
    let expected = table(&format!("{folder}/expected.csv"), columns);
    let compare_all = std::env::var_os("PADWISE_ALL_GOLDENS").is_some();
    let mut workspace = Workspace::default();
    for (at, row) in expected.iter().enumerate() {
        // The last result has the largest weights.
        if !compare_all && at + 1 < expected.len() {
            continue;
        }
        let [lm_scale, word_penalty, prior_scale, id, score, words] = row;
        let scaled_priors: Vec<f32> = if prior_scale.is_empty() {
            vec![0.0; classes]
        } else {
            let scale: f32 = number(prior_scale);
            let priors = numbers(&format!("{folder}/priors.txt"));
            priors.iter().map(|prior| scale * prior.ln()).collect()
        };
        let (_, levels) = utterances
            .iter()
            .find(|(known, _)| known == id)
            .expect("an utterance");
        let acoustic: Vec<f32> = levels
            .chunks_exact(classes)
            .flat_map(|frame| frame.iter().zip(&scaled_priors))
            .map(|(&level, prior)| STEP * f32::from(level) - prior)
            .collect();
        let decoder = Decoder {
            network,
            model,
            settings: SearchSettings {
                lm_scale: number(lm_scale),
                word_penalty: number(word_penalty),
                beam: 1e9,
                max_active: usize::MAX,
            },
        };
        let found = decoder.decode(&acoustic, &mut workspace);
        let said: Vec<&str> = found
            .words
            .iter()
            .map(|&word| &lexicon.words()[word as usize][..])
            .collect();
        let case = format!("{folder}, {id}, LM scale {lm_scale}, word penalty {word_penalty}");
        assert!(found.complete, "{case}");
        assert_eq!(said.join(" "), *words, "{case}");
        let difference = (found.score - number::<f64>(score)).abs();
        assert!(
            difference < TOLERANCE,
            "{case}: {} instead of {score}",
            found.score
        );
    }
    expected.len()
}

/// Compares a model with one or three classes per phone.
fn compare_hmm(folder: &str, classes_per_phone: usize) -> usize {
    let (lexicon, model) = lexicon_and_model();
    let phones = lines("phones.txt");
    let durations = numbers("durations.txt");
    let states = |_, phone: usize, _| {
        [0, 1, 2].map(|state| match classes_per_phone {
            1 => phone as u16,
            _ => (3 * phone + state) as u16,
        })
    };
    assert_eq!(phones[..2], ["SIL", "+NSN+"]);
    let hmm = Hmm {
        phones: &phones,
        fillers: &[0, 1],
        classes: classes_per_phone * phones.len(),
        durations: &durations,
        states: &states,
    };
    let network = hmm.network(&lexicon, &model).expect("a network");
    compare(folder, &network, &lexicon, &model)
}

#[test]
fn one_class_per_phone() {
    assert_eq!(compare_hmm("phones", 1), 96);
}

#[test]
fn three_classes_per_phone() {
    assert_eq!(compare_hmm("states", 3), 4);
}

#[test]
fn ctc() {
    let (lexicon, model) = lexicon_and_model();
    let symbols = lines("ctc/symbols.txt");
    let ctc = Ctc {
        symbols: &symbols,
        space: None,
        fillers: &[],
    };
    let network = ctc.network(&lexicon, &model).expect("a network");
    assert_eq!(compare("ctc", &network, &lexicon, &model), 18);
}
