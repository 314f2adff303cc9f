//! Selects and lists the speakers of a validation set.

use std::collections::BTreeSet;

use padwise_experiment_config::HeldOutSpeakers;
use padwise_features::Corpus;
use padwise_sampler::excerpt::excerpt;
use padwise_sampler::suggestion::suggest;

use super::CorporaError;
use crate::terminal::first_names;

/// Names in a list; more are counted.
const LISTED: usize = 10;

/// The utterances of the configured validation speakers.
pub(super) fn of_speakers(
    corpus: &dyn Corpus,
    chosen: &HeldOutSpeakers,
) -> Result<BTreeSet<usize>, CorporaError> {
    let known = speakers_of(corpus);
    let chosen: BTreeSet<&str> = match chosen {
        HeldOutSpeakers::Count(count) => last(&known, *count)?,
        HeldOutSpeakers::Named(names) => named(&known, names)?,
    };
    let is_chosen = |&utterance: &usize| {
        let speaker = corpus.speaker(utterance);
        speaker.is_some_and(|speaker| chosen.contains(speaker))
    };
    Ok((0..corpus.len()).filter(is_chosen).collect())
}

/// The names of all speakers, in alphabetical order. Empty if the corpus does not name them.
pub fn speakers_of(corpus: &dyn Corpus) -> BTreeSet<&str> {
    (0..corpus.len())
        .filter_map(|utterance| corpus.speaker(utterance))
        .collect()
}

/// Up to ten names, and how many more there are.
pub fn list_speakers(names: &BTreeSet<&str>) -> String {
    first_names(names.iter().map(|name| excerpt(name)), LISTED, ", ")
}

fn last<'a>(known: &BTreeSet<&'a str>, count: usize) -> Result<BTreeSet<&'a str>, CorporaError> {
    if count >= known.len() {
        return Err(CorporaError::Unsuitable(format!(
            "{count} held-out speakers requested, but there are {}: use fewer, or {{ share = 0.1 }}",
            known.len()
        )));
    }
    Ok(known.iter().rev().take(count).copied().collect())
}

fn named<'a>(
    known: &BTreeSet<&str>,
    names: &'a [String],
) -> Result<BTreeSet<&'a str>, CorporaError> {
    if known.is_empty() {
        return Err(CorporaError::Unsuitable(
            "validation speakers are named, but the corpus has no speaker names: use validation = { share = 0.1 }".into(),
        ));
    }
    if let Some(name) = names.iter().find(|name| !known.contains(name.as_str())) {
        let candidates: Vec<&str> = known.iter().copied().collect();
        let hint =
            suggest(name, &candidates).map(|name| format!(", did you mean `{}`?", excerpt(name)));
        return Err(CorporaError::Unsuitable(format!(
            "no validation speaker `{}` in the corpus{} Its speakers are {}",
            excerpt(name),
            hint.unwrap_or_else(|| ".".into()),
            list_speakers(known),
        )));
    }
    if names.len() == known.len() {
        return Err(CorporaError::Unsuitable(
            "all speakers of the corpus are validation speakers: leave some for training".into(),
        ));
    }
    Ok(names.iter().map(String::as_str).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_ten_speakers_are_listed() {
        let names: Vec<String> = (10..40).map(|number| format!("s{number}")).collect();
        let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let ten = names.iter().take(10).copied().collect();
        assert_eq!(
            list_speakers(&ten),
            "s10, s11, s12, s13, s14, s15, s16, s17, s18, s19"
        );
        assert!(list_speakers(&names).ends_with(", s19, … and 20 more"));
    }

    #[test]
    fn unknown_speakers_are_refused_with_a_suggestion() {
        let known = BTreeSet::from(["anna", "ben", "carl"]);
        let refused = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            named(&known, &names).expect_err("refused").to_string()
        };
        insta::assert_snapshot!(refused(&["ben", "ana"]), @"no validation speaker `ana` in the corpus, did you mean `anna`? Its speakers are anna, ben, carl");
        insta::assert_snapshot!(refused(&["xyz"]), @"no validation speaker `xyz` in the corpus. Its speakers are anna, ben, carl");
        insta::assert_snapshot!(refused(&["ben", "anna", "carl"]), @"all speakers of the corpus are validation speakers: leave some for training");
        let names = ["ben".to_owned()];
        assert_eq!(
            named(&known, &names).expect("known"),
            BTreeSet::from(["ben"])
        );
    }
}
