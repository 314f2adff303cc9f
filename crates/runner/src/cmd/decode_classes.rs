//! Options of `decode` that say what the classes of other programs' posteriors are.

use std::path::PathBuf;

use clap::Args;
use padwise_features::FileError;

use crate::words::text_files::{read_names, read_numbers};
use crate::words::{ClassStatistics, Units, WordsError};

/// The sum of priors may differ from 1 by this much.
const PRIOR_TOLERANCE: f64 = 0.01;

/// What the classes of other programs' posteriors are.
#[derive(Debug, Args)]
#[command(next_help_heading = "Posteriors of other programs")]
pub struct ClassArgs {
    /// Names of the classes in their order, separated by white space; <space> is a space
    #[arg(long, value_name = "FILE")]
    phones: Option<PathBuf>,

    /// Mean duration of each phone in frames, in the order of --phones
    #[arg(long, value_name = "FILE", requires = "phones", conflicts_with = "ctc")]
    durations: Option<PathBuf>,

    /// Prior probability of each class [default: its mean posterior in POSTERIORS]
    #[arg(long, value_name = "FILE", requires = "phones", conflicts_with = "ctc")]
    priors: Option<PathBuf>,

    /// The model was trained with CTC; the blank is the last class
    ///
    /// Without --lexicon the symbols are characters, which spell the words of the language model.
    #[arg(long, requires = "phones")]
    ctc: bool,
}

impl ClassArgs {
    /// Whether any of them is used.
    pub(super) fn are_given(&self) -> bool {
        self.phones.is_some()
    }

    /// The units of posteriors with these options. `mean` is the mean posterior of each class. Without `has_lexicon`, symbols of CTC spell words.
    pub(super) fn units(&self, mean: &[f64], has_lexicon: bool) -> Result<Units, WordsError> {
        let missing = |problem: &str| Err(WordsError::Unsuitable(problem.into()));
        let Some(path) = &self.phones else {
            return missing(
                "the posteriors do not say what their classes are: pass their names with --phones FILE",
            );
        };
        let phones = read_names(path)?;
        let blank = usize::from(self.ctc);
        if phones.len() + blank != mean.len() {
            let reason = format!(
                "{} names, but frames have {} numbers: list one name for each class{}",
                phones.len(),
                mean.len(),
                if self.ctc { " but the blank" } else { "" }
            );
            let path = path.clone();
            return Err(FileError::Content { path, reason }.into());
        }
        if self.ctc {
            return Ok(Units::Symbols {
                symbols: phones,
                spell: !has_lexicon,
            });
        }
        let Some(path) = &self.durations else {
            return missing(
                "the durations of phones are not known: pass them with --durations FILE, or --ctc for a model trained with CTC",
            );
        };
        let durations = read_numbers(path, phones.len(), "mean duration")?;
        let priors = match &self.priors {
            None => mean.to_vec(),
            Some(path) => {
                let priors = read_numbers(path, phones.len(), "prior probability")?;
                let sum: f64 = priors.iter().sum();
                if (sum - 1.0).abs() > PRIOR_TOLERANCE {
                    let reason = format!("the probabilities sum to {sum}: they must sum to 1");
                    let path = path.clone();
                    return Err(FileError::Content { path, reason }.into());
                }
                priors
            }
        };
        Ok(Units::States {
            statistics: ClassStatistics::given(&priors, &durations),
            phones,
            states: None,
        })
    }
}
