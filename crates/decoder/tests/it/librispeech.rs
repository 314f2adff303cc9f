//! Real utterances with the reference label of each frame, and the models to decode them.

#[path = "shared_data.rs"]
mod shared_data;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;

use lzma_rust2::XzReader;
use padwise_decoder::{
    Decoder, Hmm, LanguageModel, Lexicon, ModelLimits, Network, SearchSettings, WordErrors,
    Workspace,
};

pub use shared_data::shared_data;

/// An utterance of dev-clean.
pub struct Utterance {
    /// A phone for each frame.
    pub labels: Vec<u8>,
    /// The words in lower case.
    pub text: String,
}

/// How speakers are ordered.
#[derive(Clone, Copy, Debug)]
pub enum SpeakerOrder {
    /// By name, as for `validation = { speakers = 6 }` in an experiment.
    Alphabetical,
    /// By number.
    Numeric,
}

/// All utterances of dev-clean by ID; `None`, with a message, without the data.
pub fn dev_clean(test: &str) -> Option<BTreeMap<String, Utterance>> {
    let mut all = BTreeMap::new();
    for half in ["a", "b"] {
        let archive = shared_data(test, &format!("librispeech/dev-clean-{half}.tar.xz"))?;
        all.extend(utterances(archive));
    }
    Some(all)
}

/// The utterances of the last six speakers.
pub fn last_speakers(all: &BTreeMap<String, Utterance>, order: SpeakerOrder) -> Vec<&Utterance> {
    let speaker = |id: &str| {
        let name = id.split('-').next().unwrap_or_default().to_owned();
        let number = match order {
            SpeakerOrder::Alphabetical => 0,
            SpeakerOrder::Numeric => name.parse::<u32>().expect("a number"),
        };
        (number, name)
    };
    let speakers: BTreeSet<(u32, String)> = all.keys().map(|id| speaker(id)).collect();
    let last: BTreeSet<(u32, String)> = speakers.into_iter().rev().take(6).collect();
    let chosen = all.iter().filter(|(id, _)| last.contains(&speaker(id)));
    chosen.map(|(_, utterance)| utterance).collect()
}

fn utterances(archive: PathBuf) -> Vec<(String, Utterance)> {
    let file = BufReader::new(File::open(archive).expect("an archive"));
    let mut archive = tar::Archive::new(XzReader::new(file, true));
    let mut files: HashMap<String, Vec<u8>> = HashMap::new();
    for entry in archive.entries().expect("an archive") {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").into_owned();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if ["index.csv", "labels.u8", "text.tsv"].contains(&&*name) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("a file");
            files.insert(name.into_owned(), bytes);
        }
    }
    let text = |name: &str| String::from_utf8(files[name].clone()).expect("UTF-8");
    let (texts, index) = (text("text.tsv"), text("index.csv"));
    let texts: HashMap<&str, &str> = texts
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let rows = index.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let [start, frames] = [1, 2].map(|at| fields[at].parse::<usize>().expect("a number"));
        let utterance = Utterance {
            labels: files["labels.u8"][start..start + frames].to_vec(),
            text: texts[fields[0]].to_lowercase(),
        };
        (fields[0].to_owned(), utterance)
    });
    rows.collect()
}

/// A lexicon, a language model and the network of a model with one class per phone.
pub struct Models {
    lexicon: Lexicon,
    model: LanguageModel,
    network: Network,
}

impl Models {
    /// Reads the shared models; `None`, with a message, without them.
    pub fn read(test: &str) -> Option<Models> {
        let lexicon = shared_data(test, "lm/lexicon-20k.txt.gz")?;
        let model = shared_data(test, "lm/gutenberg-20k-3gram-pruned.arpa.gz")?;
        let durations = shared_data(test, "lm/mean-phone-durations.txt")?;
        let lexicon = Lexicon::read(lexicon, str::to_lowercase).expect("a lexicon");
        let limits = ModelLimits::default();
        let model =
            LanguageModel::read(model, &lexicon, str::to_lowercase, limits).expect("a model");
        let durations = std::fs::read_to_string(durations).expect("durations");
        let durations = durations.split_whitespace();
        let durations: Vec<f32> = durations
            .map(|field| field.parse().expect("a number"))
            .collect();
        let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/phones.txt");
        let phones = std::fs::read_to_string(golden).expect("phones");
        let phones: Vec<String> = phones.lines().map(String::from).collect();
        let hmm = Hmm {
            phones: &phones,
            fillers: &[0, 1],
            classes: phones.len(),
            durations: &durations,
            states: &|_, phone, _| [phone as u16; 3],
        };
        let network = hmm.network(&lexicon, &model).expect("a network");
        Some(Models {
            lexicon,
            model,
            network,
        })
    }

    /// Decodes an utterance from its reference labels and counts the errors.
    pub fn decode(
        &self,
        utterance: &Utterance,
        lm_scale: f32,
        workspace: &mut Workspace,
    ) -> WordErrors {
        let classes = self.network.classes();
        let mut scores = vec![-20.0; utterance.labels.len() * classes];
        for (frame, &label) in scores.chunks_exact_mut(classes).zip(&utterance.labels) {
            frame[usize::from(label)] = 0.0;
        }
        let decoder = Decoder {
            network: &self.network,
            model: &self.model,
            settings: SearchSettings {
                lm_scale,
                word_penalty: 0.0,
                beam: 14.0 * lm_scale,
                max_active: 3_000,
            },
        };
        let found = decoder.decode(&scores, workspace).words;
        let found: Vec<&str> = (found.iter())
            .map(|&word| &self.lexicon.words()[word as usize][..])
            .collect();
        let reference: Vec<&str> = utterance.text.split(' ').collect();
        WordErrors::between(&reference, &found)
    }
}
