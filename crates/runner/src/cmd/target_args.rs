//! Options of `prepare` that make targets of transcripts.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use padwise_features::Corpus;
use padwise_features::corpus::{TargetSet, TargetUnit};
use padwise_features::files::read_text;
use padwise_features::pack::Pack;
use padwise_features::transcripts::{
    Encoded, Lexicon, Punctuation, TargetError, TargetRules, TextCase, TextRules,
};
use padwise_sampler::excerpt::excerpt;

use crate::corpora::CorporaError;
use crate::terminal::{count, first_names, say};

/// Maximum size of a list of symbols in bytes.
const LARGEST_LIST: u64 = 16 << 20;

/// The space in a list of symbols, where it would be invisible.
const SPACE: &str = "<space>";

/// Symbols that a message lists.
const LISTED: usize = 40;

/// How transcripts become targets.
#[derive(Debug, Args)]
#[command(next_help_heading = "Targets from transcripts")]
pub struct TargetArgs {
    /// Store the transcripts as target sequences, for CTC
    #[arg(long, value_name = "UNIT", value_enum)]
    targets: Option<Unit>,

    /// Pronunciation lexicon: a word and its phones per line
    #[arg(long, value_name = "FILE", requires = "targets")]
    lexicon: Option<PathBuf>,

    /// Symbols of the targets: those of another pack, or one per line [default: all that occur]
    #[arg(long, value_name = "FILE", requires = "targets")]
    symbols: Option<PathBuf>,

    /// Case of letters
    #[arg(long, value_name = "CASE", value_enum, default_value_t = Case::Lower, requires = "targets")]
    text_case: Case,

    /// Punctuation and symbols
    #[arg(long, value_name = "RULE", value_enum, default_value_t = PunctuationRule::Remove, requires = "targets")]
    text_punctuation: PunctuationRule,

    /// Characters to keep even if punctuation is removed, for example '-'
    #[arg(long, value_name = "CHARS", requires = "targets", default_value = "")]
    text_keep: String,

    /// Replace text in transcripts before everything else, for example '&= and ' (repeatable)
    #[arg(long, value_name = "FROM=TO", requires = "targets", value_parser = replacement)]
    text_replace: Vec<(String, String)>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Unit {
    /// Characters, with a space between words
    Chars,
    /// Words; with --lexicon, those of the lexicon
    Words,
    /// Phones of the words, from --lexicon
    Phones,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Case {
    /// Lower case
    Lower,
    /// Upper case
    Upper,
    /// As written
    Keep,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PunctuationRule {
    /// Replace by a space; apostrophes inside words stay
    Remove,
    /// Keep
    Keep,
}

impl TargetArgs {
    /// Encodes the transcripts of a corpus and reports the symbols. None without `--targets`.
    pub(super) fn encode<'a>(
        &self,
        texts: impl Iterator<Item = Option<&'a str>> + Clone,
    ) -> Result<Option<Encoded>, CorporaError> {
        let Some(unit) = self.targets else {
            return Ok(None);
        };
        let unit = match unit {
            Unit::Chars => TargetUnit::Chars,
            Unit::Words => TargetUnit::Words,
            Unit::Phones => TargetUnit::Phones,
        };
        let text = self.text_rules();
        let lexicon = self.lexicon.as_ref();
        let lexicon = lexicon.map(|path| Lexicon::read(path, |word| text.normalise(word)));
        let lexicon = lexicon.transpose().map_err(CorporaError::other)?;
        let symbols = self.symbols.as_ref();
        let symbols = symbols.map(|path| read_symbols(path, unit)).transpose()?;
        let rules = TargetRules {
            unit,
            text,
            lexicon,
            symbols,
        };
        let encoded = rules.encode(texts).map_err(CorporaError::other)?;
        report(&encoded);
        Ok(Some(encoded))
    }

    fn text_rules(&self) -> TextRules {
        TextRules {
            case: match self.text_case {
                Case::Lower => TextCase::Lower,
                Case::Upper => TextCase::Upper,
                Case::Keep => TextCase::Keep,
            },
            punctuation: match self.text_punctuation {
                PunctuationRule::Remove => Punctuation::Remove,
                PunctuationRule::Keep => Punctuation::Keep,
            },
            keep: self.text_keep.clone(),
            replace: self.text_replace.clone(),
        }
    }
}

fn replacement(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((from, to)) if !from.is_empty() => Ok((from.into(), to.into())),
        _ => Err("write it as FROM=TO, for example '&= and '".into()),
    }
}

/// Reads the symbols of a pack, or a list with one symbol per line.
fn read_symbols(path: &Path, unit: TargetUnit) -> Result<Vec<String>, CorporaError> {
    if path
        .extension()
        .is_some_and(|extension| extension == "pack")
    {
        let pack = Pack::open(path).map_err(CorporaError::other)?;
        return match pack.target_set() {
            Some(set) if set.unit == unit => Ok(set.symbols.clone()),
            Some(set) => Err(CorporaError::Unsuitable(format!(
                "--symbols {}: its targets are {}, not {}",
                path.display(),
                set.unit.name(),
                unit.name()
            ))),
            None => Err(CorporaError::Unsuitable(format!(
                "--symbols {}: the pack has no targets; prepare it with --targets {}",
                path.display(),
                unit.name()
            ))),
        };
    }
    let text = read_text(path, LARGEST_LIST)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let symbol = |line: &str| String::from(if line == SPACE { " " } else { line });
    let symbols: Vec<String> = lines.map(symbol).collect();
    let is_long = |symbol: &&String| symbol.chars().count() > 1;
    if let Some(long) = symbols.iter().find(is_long)
        && unit == TargetUnit::Chars
    {
        return Err(CorporaError::Unsuitable(format!(
            "--symbols {}: `{}` is more than one character, but the targets are chars",
            path.display(),
            excerpt(long)
        )));
    }
    Ok(symbols)
}

/// Prints the symbols, and the characters that were left out.
fn report(encoded: &Encoded) {
    let TargetSet { unit, symbols } = &encoded.set;
    say(format!(
        "targets: {} ({}): {}",
        unit.name(),
        count(symbols.len(), "symbol"),
        first_names(symbols.iter().map(|symbol| shown(symbol)), LISTED, " ")
    ));
    if !encoded.outside.is_empty() {
        let found = match unit {
            TargetUnit::Chars => "characters outside the symbols were left out".to_owned(),
            TargetUnit::Words | TargetUnit::Phones => {
                let is_unknown =
                    |s: &&Result<_, _>| matches!(s, Err(TargetError::UnknownWords { .. }));
                let without = encoded.sequences.iter().filter(is_unknown).count();
                let (words, without) = (encoded.outside.len(), count(without, "utterance"));
                format!("{} without a symbol, in {without}", count(words, "word"))
            }
        };
        let outside = encoded.outside.iter();
        say(format!(
            "warning: {found}: {}",
            first_names(
                outside.map(|(symbol, times)| format!("{} ({times}×)", shown(symbol))),
                LISTED,
                " "
            )
        ));
    }
}

/// A symbol for a message. A space would be invisible.
pub(super) fn shown(symbol: &str) -> String {
    match symbol {
        " " => "␣".into(),
        other => excerpt(other),
    }
}
