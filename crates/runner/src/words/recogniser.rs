//! A lexicon, a language model and the search network of an acoustic model.

use std::io::Read;
use std::path::{Path, PathBuf};

use padwise_decoder::{LanguageModel, Lexicon, ModelLimits, Network, WordErrors};
use padwise_experiment_config::WordsConfig;
use padwise_features::transcripts::TextRules;
use padwise_report::record::UsedFile;
use padwise_sampler::excerpt::excerpt;
use xxhash_rust::xxh3::Xxh3;

use super::{Units, WordsError};

/// The files of a recogniser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecogniserFiles {
    /// The lexicon; none to spell the words of the language model.
    pub lexicon: Option<PathBuf>,
    /// The language model.
    pub language_model: PathBuf,
    /// The most memory of the language model, in bytes.
    pub max_bytes: u64,
}

impl RecogniserFiles {
    /// The files of a config, whose paths are relative to `folder`.
    pub fn of(config: &WordsConfig, folder: &Path) -> Self {
        RecogniserFiles {
            lexicon: config.lexicon.as_ref().map(|path| folder.join(path)),
            language_model: folder.join(&config.language_model),
            max_bytes: (config.max_lm_gb * 1e9) as u64,
        }
    }
}

/// Everything that decoding needs besides posteriors and weights.
pub struct Recogniser {
    /// The lexicon, its words normalised like transcripts.
    pub lexicon: Lexicon,
    /// The language model.
    pub model: LanguageModel,
    /// The network.
    pub network: Network,
    /// The logarithms of class priors; none for CTC.
    pub log_priors: Option<Vec<f32>>,
    /// What the user should know, one line each.
    pub notes: Vec<String>,
}

impl Recogniser {
    /// Reads the files and builds the network.
    pub fn open(files: &RecogniserFiles, units: &Units) -> Result<Self, WordsError> {
        let rules = TextRules::default();
        let normalise = |word: &str| rules.normalise(word);
        let limits = ModelLimits {
            max_bytes: files.max_bytes,
        };
        let mut notes = Vec::new();
        let lexicon = match (&files.lexicon, units.spell()) {
            (Some(path), false) => Lexicon::read(path, normalise)?,
            (Some(path), true) => {
                let listed = Lexicon::read(path, normalise)?;
                spelled(listed.words().iter().cloned(), units, &mut notes)
            }
            (None, true) => {
                let words = LanguageModel::words(&files.language_model, normalise, limits)?;
                spelled(words.into_iter(), units, &mut notes)
            }
            (None, false) => {
                return Err(WordsError::Unsuitable(
                    "no lexicon: a model of phones needs the pronunciation of every word".into(),
                ));
            }
        };
        let model = LanguageModel::read(&files.language_model, &lexicon, normalise, limits)?;
        if let Some((word, line)) = &model.skipped().first {
            notes.push(format!(
                "{} of the language model cannot be recognised, because the lexicon lacks them; the first is `{}` ({}:{line})",
                crate::terminal::count(model.skipped().count as usize, "word"),
                excerpt(word),
                files.language_model.display(),
            ));
        }
        let network = units.network(&lexicon, &model)?;
        Ok(Recogniser {
            log_priors: units.log_priors(),
            lexicon,
            model,
            network,
            notes,
        })
    }

    /// The text of words, as numbers of the lexicon.
    pub fn text(&self, words: &[u32]) -> Vec<&str> {
        let texts = self.lexicon.words();
        words
            .iter()
            .map(|&word| texts[word as usize].as_str())
            .collect()
    }

    /// The errors of found words.
    pub fn errors(&self, reference: &[String], found: &[u32]) -> WordErrors {
        let reference: Vec<&str> = reference.iter().map(String::as_str).collect();
        WordErrors::between(&reference, &self.text(found))
    }

    /// Whether a word can be recognised.
    pub fn knows(&self, word: &str) -> bool {
        self.lexicon
            .word(word)
            .is_some_and(|word| self.model.knows(word))
    }
}

/// A lexicon that spells words. Words with other characters than the model's are left out.
fn spelled(words: impl Iterator<Item = String>, units: &Units, notes: &mut Vec<String>) -> Lexicon {
    let symbols: std::collections::HashSet<&str> =
        units.names().iter().map(String::as_str).collect();
    let can_spell = |word: &String| {
        let mut buffer = [0; 4];
        word.chars()
            .all(|symbol| symbols.contains(&*symbol.encode_utf8(&mut buffer)))
    };
    let (spelled, others): (Vec<String>, Vec<String>) = words.partition(can_spell);
    if let Some(first) = others.first() {
        notes.push(format!(
            "{} cannot be spelled with the characters of the model; the first is `{}`",
            crate::terminal::count(others.len(), "word"),
            excerpt(first)
        ));
    }
    Lexicon::spelled(spelled)
}

/// The name and checksum of a file, for the record.
pub(super) fn used_file(path: &Path) -> Result<UsedFile, WordsError> {
    let read = |source| WordsError::Read {
        path: path.into(),
        source,
    };
    let mut file = std::fs::File::open(path).map_err(read)?;
    let (mut hash, mut buffer) = (Xxh3::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut buffer).map_err(read)? {
            0 => break,
            length => hash.update(&buffer[..length]),
        }
    }
    Ok(UsedFile {
        file: path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into(),
        checksum: format!("{:032x}", hash.digest128()),
    })
}
