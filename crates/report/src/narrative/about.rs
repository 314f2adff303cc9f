//! Describes what was run and on what hardware.

use std::collections::BTreeSet;
use std::path::PathBuf;

use padwise_experiment_config::{
    Average, CorpusConfig, ExperimentConfig, HeldOutSet, HeldOutSpeakers, ParallelEngine,
};
use padwise_model_config::Padding;
use padwise_sampler::excerpt::excerpt;

use crate::findings::Findings;
use crate::record::{DecodingRecord, Environment};
use crate::text::{counted, listed, precision, rounded, shortest};

/// Describes the run: corpus, model, training, runs, workers, decoding and hardware, in this order, one entry each.
pub fn what_was_run(findings: &Findings) -> Vec<String> {
    let config = &findings.recorded.config;
    let mut sentences = vec![
        corpus(&config.corpus),
        model(config),
        training(config),
        runs(findings),
    ];
    sentences.extend(parallel(config));
    sentences.extend(findings.recorded.words.decoding.iter().map(decoding));
    sentences.extend(hardware(&findings.recorded.environments));
    sentences
}

fn corpus(corpus: &CorpusConfig) -> String {
    let mut held_out = vec![of_held_out(&corpus.validation, "validation", "validated")];
    let test = corpus.test.as_ref();
    held_out.extend(test.map(|test| of_held_out(test, "testing", "tested")));
    let named = match &corpus.synthetic {
        Some(synthetic) => format!(
            "synthetic, {} with the length distribution of {}",
            counted(synthetic.utterances as u64, "utterance"),
            synthetic.profile.name()
        ),
        None => {
            let file_name = |path: &PathBuf| Some(path.file_name()?.to_string_lossy().into_owned());
            let names: Vec<String> = corpus.packs().filter_map(file_name).collect();
            listed(&names)
        }
    };
    format!("Corpus: {named}; {}.", held_out.join("; "))
}

/// Describes a validation or test set.
fn of_held_out(set: &HeldOutSet, purpose: &str, verb: &str) -> String {
    match set {
        HeldOutSet::Share(share) => {
            format!("{} % held out for {purpose}", shortest(100.0 * share))
        }
        HeldOutSet::Speakers(speakers) => {
            let count = match speakers {
                HeldOutSpeakers::Count(count) => *count,
                HeldOutSpeakers::Named(names) => names.len(),
            };
            let speakers = counted(count as u64, "speaker");
            format!("{speakers} held out for {purpose}")
        }
        HeldOutSet::Fresh(count) => {
            let utterances = counted(*count as u64, "further utterance");
            format!("{utterances} for {purpose}")
        }
        HeldOutSet::Pack(_) | HeldOutSet::Packs(_) => {
            let path = |path: &PathBuf| path.display().to_string();
            let packs: Vec<String> = set.packs().iter().map(path).collect();
            format!("{verb} on {}", listed(&packs))
        }
    }
}

fn model(config: &ExperimentConfig) -> String {
    let dropout = match config.model.dropout {
        0.0 => String::new(),
        share => format!(", dropout {share}"),
    };
    let packed = match config.model.padding {
        Padding::Padded => "",
        Padding::Packed => " Batches are packed: padding is neither stored nor multiplied.",
    };
    format!(
        "Model: bidirectional LSTM, {}, {} per direction{dropout}.{packed}",
        counted(config.model.layers as u64, "layer"),
        counted(config.model.hidden as u64, "unit")
    )
}

fn training(config: &ExperimentConfig) -> String {
    let train = &config.train;
    let own = config.strategy.iter().filter_map(|row| {
        let rate = row.learning_rate?;
        Some(format!("{} {rate:?}", row.name))
    });
    let own: Vec<String> = own.collect();
    let own = match own.is_empty() {
        true => String::new(),
        false => format!(" (own: {})", own.join("; ")),
    };
    let rate = train.learning_rate;
    let rate = rate.map(|rate| format!(", learning rate {rate:?}{own}"));
    format!(
        "Training: {} objective, {} optimiser{}, batch size {} unless a strategy sets its own.",
        train.objective,
        train.optimiser,
        rate.unwrap_or_default(),
        train.batch_size
    )
}

fn runs(findings: &Findings) -> String {
    let config = &findings.recorded.config;
    let rows = config.strategy.len();
    let scaling = findings.scaling.as_ref();
    let strategies = match scaling.map_or(rows, |scaling| scaling.strategies.len()) {
        1 => "1 strategy".to_owned(),
        count => format!("{count} strategies"),
    };
    let mut epochs = counted(config.train.epochs, "epoch");
    if let Some(patience) = config.train.patience {
        let patience = counted(patience, "epoch");
        epochs = format!(
            "up to {epochs} (until {patience} without a lower loss; the best epoch counts)"
        );
    }
    let seeds: Vec<String> = config.train.seeds.iter().map(u64::to_string).collect();
    match seeds.as_slice() {
        [only] => format!("Runs: {strategies}, {epochs}, 1 seed ({only})."),
        _ => {
            let count = counted(seeds.len() as u64, "seed");
            format!(
                "Runs: {strategies}, {epochs}, {count} ({}).",
                listed(&seeds)
            )
        }
    }
}

/// How workers trained: what they averaged, and whether they ran at the same time.
fn parallel(config: &ExperimentConfig) -> Option<String> {
    let parallel = config.train.parallel.as_ref()?;
    let rows = config.strategy.iter();
    let counts: BTreeSet<u32> = rows.filter_map(|row| row.workers).collect();
    let counts: Vec<String> = counts.iter().map(u32::to_string).collect();
    let average = match parallel.average {
        Average::Epoch => "parameters averaged after each epoch",
        Average::Step => "gradients averaged at each step",
    };
    let engine = match parallel.engine {
        ParallelEngine::Mpi => "MPI processes",
        ParallelEngine::Turns => {
            "one process that trains their parts one after the other, so times of several workers are predicted"
        }
    };
    let counts = listed(&counts);
    Some(format!("Workers: {counts}; {average}; {engine}."))
}

/// The decoder's settings and the test set.
fn decoding(decoding: &DecodingRecord) -> String {
    let test = &decoding.test;
    let lexicon = decoding.lexicon.as_ref();
    let lexicon = lexicon.map(|lexicon| format!("lexicon {}, ", excerpt(&lexicon.file)));
    let tuned = match decoding.tuned.len() {
        0 => String::new(),
        tried => format!(
            " (tuned on the validation set with the first run, {})",
            counted(tried, "value")
        ),
    };
    format!(
        "Decoding: test set of {} ({}, {} of speech), {} % out of vocabulary; {}{}-gram language model {}, vocabulary of {}; language-model scale {}{tuned}, beam {}, word penalty {}, prior scale {}.",
        counted(test.utterances, "utterance"),
        counted(test.words, "word"),
        duration(test.seconds),
        rounded(test.oov_percent, 2),
        lexicon.unwrap_or_default(),
        decoding.lm_order,
        excerpt(&decoding.language_model.file),
        counted(decoding.vocabulary, "word"),
        shortest(decoding.lm_scale),
        shortest(decoding.beam),
        shortest(decoding.word_penalty),
        shortest(decoding.prior_scale)
    )
}

/// Hours with one decimal, or minutes if it is less than an hour.
fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 3600.0 => format!("{} h", rounded(seconds / 3600.0, 1)),
        seconds => format!("{} min", rounded(seconds / 60.0, 1)),
    }
}

/// One entry per machine and backend, with the padwise versions that computed there.
fn hardware(environments: &[Environment]) -> Vec<String> {
    let mut machines: Vec<(String, Vec<String>)> = Vec::new();
    for environment in environments {
        let computes = &environment.computes;
        let machine = format!(
            "Hardware: {}, {} backend. Recurrence: {}. Precision: {}.",
            computes.device,
            computes.backend,
            computes.recurrence,
            precision(&computes.precision)
        );
        let mut version = format!("padwise {}", environment.padwise);
        version += &environment.commit.as_deref().map(short).unwrap_or_default();
        if !environment.optimised {
            version += " built without optimisation";
        }
        if environment.corpus_verified == Some(false) {
            version += " without verifying the corpus files (--no-verify)";
        }
        match machines.iter_mut().find(|(known, _)| *known == machine) {
            Some((_, versions)) if versions.contains(&version) => {}
            Some((_, versions)) => versions.push(version),
            None => machines.push((machine, vec![version])),
        }
    }
    machines
        .into_iter()
        .map(|(machine, versions)| match versions.as_slice() {
            [first, .., last] if versions.len() > 3 => {
                let count = versions.len();
                format!("{machine} Computed by {count} versions, from {first} to {last}.")
            }
            versions => format!("{machine} Computed by {}.", listed(versions)),
        })
        .collect()
}

/// The first ten digits of a commit, with a note if files had been changed.
fn short(commit: &str) -> String {
    let changed = match commit.ends_with('+') {
        true => " with local changes",
        false => "",
    };
    let digits: String = commit.chars().take(10).filter(|c| *c != '+').collect();
    format!(" at commit {digits}{changed}")
}
