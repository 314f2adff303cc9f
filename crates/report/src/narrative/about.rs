//! What was run, on what, and how to run it again.

use std::path::PathBuf;

use padwise_experiment_config::{CorpusConfig, ExperimentConfig, TrainConfig, ValidationSet};

use crate::findings::Findings;
use crate::record::Environment;
use crate::text::{counted, listed};

/// What was run: sentences about the corpus, the model, the training and the machine, in this order, each where it is known.
pub fn what_was_run(findings: &Findings) -> Vec<String> {
    let config = &findings.recorded.config;
    let mut said = vec![
        corpus(&config.corpus),
        model(config),
        training(&config.train),
    ];
    let seeds: Vec<String> = config.train.seeds.iter().map(u64::to_string).collect();
    let strategies = match config.strategy.len() {
        1 => "One strategy was".to_owned(),
        count => format!("{count} strategies were"),
    };
    let epochs = counted(config.train.epochs, "epoch");
    said.push(match seeds.as_slice() {
        [only] => format!("{strategies} trained for {epochs}, once, with seed {only}."),
        _ => {
            let seeds = listed(&seeds);
            format!("{strategies} trained for {epochs}, once with each seed ({seeds}).")
        }
    });
    said.extend(machines(&findings.recorded.environments));
    said
}

fn corpus(corpus: &CorpusConfig) -> String {
    let validation = match &corpus.validation {
        ValidationSet::Share(share) => format!("{share:?} of it is kept for validation"),
        ValidationSet::Speakers(count) => format!("{count} speakers are kept for validation"),
        ValidationSet::Fresh(count) => format!("{count} further utterances for validation"),
        ValidationSet::Pack(path) => format!("validation on {}", path.display()),
    };
    let named = match &corpus.synthetic {
        Some(made_up) => format!(
            "A made-up corpus of {} utterances with the lengths of {}",
            made_up.utterances,
            made_up.profile.name()
        ),
        None => {
            let file_name = |path: &PathBuf| Some(path.file_name()?.to_string_lossy().into_owned());
            let names: Vec<String> = corpus.packs().filter_map(file_name).collect();
            format!("The corpus {}", listed(&names))
        }
    };
    format!("{named}; {validation}.")
}

fn model(config: &ExperimentConfig) -> String {
    format!(
        "A bidirectional LSTM of {} layers with {} units in each direction.",
        config.model.layers, config.model.hidden
    )
}

fn training(train: &TrainConfig) -> String {
    let rate = train.learning_rate;
    let rate = rate.map(|rate| format!(", learning rate {rate:?}"));
    format!(
        "Objective {}, optimiser {}{}, batches of {} where a strategy names no size.",
        train.objective,
        train.optimiser,
        rate.unwrap_or_default(),
        train.batch_size
    )
}

/// A sentence for each machine and way of computing, with the commits that had a part in it.
fn machines(environments: &[Environment]) -> Vec<String> {
    let mut machines: Vec<(String, Vec<String>)> = Vec::new();
    for environment in environments {
        let computes = &environment.computes;
        let said = format!(
            "with {} on {}: {} recurrence, {}",
            computes.backend, computes.device, computes.recurrence, computes.precision
        );
        let mut version = format!("padwise {}", environment.padwise);
        version += &environment.commit.as_deref().map(short).unwrap_or_default();
        if !environment.optimised {
            version += " built without optimisation";
        }
        match machines.iter_mut().find(|(known, _)| *known == said) {
            Some((_, versions)) if versions.contains(&version) => {}
            Some((_, versions)) => versions.push(version),
            None => machines.push((said, vec![version])),
        }
    }
    machines
        .into_iter()
        .map(|(said, versions)| match versions.as_slice() {
            [first, .., last] if versions.len() > 3 => {
                let count = versions.len();
                format!("Computed {said}; by {count} versions, from {first} to {last}.")
            }
            versions => format!("Computed {said}; by {}.", listed(versions)),
        })
        .collect()
}

/// A commit in as many letters as people read, with the mark of changed files.
fn short(commit: &str) -> String {
    let changed = match commit.ends_with('+') {
        true => " with changes",
        false => "",
    };
    let letters: String = commit.chars().take(10).filter(|c| *c != '+').collect();
    format!(" at {letters}{changed}")
}
