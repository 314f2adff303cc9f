//! The commands that run an experiment again from its recorded config, ready to paste in the project root.
//!
//! Paths of packs in a config are relative to the config's folder. A run records the config unchanged, so its paths are still
//! relative to the folder of the original, `configs/` in this project. They are wrong from `results/NAME/`, so the command overrides them with `--set`.

use std::path::{Component, Path, PathBuf};

use padwise_experiment_config::{CorpusConfig, ExperimentConfig, HeldOutSet, ParallelEngine};

use crate::findings::Findings;

/// The original folder of a recorded config, seen from the folder of the record.
const ORIGINAL_FOLDER: &str = "../../configs";

/// What a reader needs to run an experiment again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reproduction {
    /// The results folder that the commands expect, from the project root.
    pub folder: String,
    /// The commands, for the project root.
    pub commands: Vec<String>,
    /// The packs of the corpus, from the project root; none for a synthetic corpus.
    pub packs: Vec<String>,
    /// The version of padwise that made the record, if it is known.
    pub version: Option<RecordedVersion>,
}

/// The version of padwise that made a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedVersion {
    /// Its number.
    pub number: String,
    /// The first ten digits of its commit.
    pub commit: String,
    /// Whether files differed from the commit.
    pub has_changes: bool,
}

/// The commands that reproduce the run and its report.
pub fn reproduce(findings: &Findings) -> Vec<String> {
    reproduction(findings).commands
}

/// The option with the cargo features that a run needs.
fn features(backend: Option<&str>, engine: Option<ParallelEngine>) -> String {
    let mut needed: Vec<&str> = Vec::new();
    needed.extend(backend.filter(|backend| matches!(*backend, "cuda" | "wgpu")));
    needed.extend(
        engine
            .filter(|engine| *engine == ParallelEngine::Mpi)
            .map(|_| "mpi"),
    );
    match needed.is_empty() {
        true => String::new(),
        false => format!(" --features {}", needed.join(",")),
    }
}

/// The commands that reproduce the run and its report, with what they need.
pub fn reproduction(findings: &Findings) -> Reproduction {
    let recorded = &findings.recorded;
    let environment = recorded.environments.last();
    let record = quoted(&format!("results/{}", recorded.name));
    let again = quoted(&format!("results/{}-again", recorded.name));
    let config = quoted(&format!("results/{}/config.toml", recorded.name));
    let backend = environment.map(|one| one.computes.backend.as_str());
    let parallel = recorded.config.train.parallel.as_ref();
    let features = features(backend, parallel.map(|parallel| parallel.engine));
    let sets: String = relocated(&recorded.config)
        .into_iter()
        .map(|set| format!(" \\\n  --set {}", quoted(&set)))
        .collect();
    let commands = vec![
        format!("cargo run --release{features} -- run {config} --out {again}{sets}"),
        format!("cargo run --release{features} -- compare {record} {again}"),
        format!("cargo run --release{features} -- report {again}"),
    ];
    let version = environment.and_then(|one| {
        let commit = one.commit.as_deref()?;
        Some(RecordedVersion {
            number: one.padwise.clone(),
            commit: commit.trim_end_matches('+').chars().take(10).collect(),
            has_changes: commit.ends_with('+'),
        })
    });
    let packs = pack_paths(&recorded.config.corpus);
    Reproduction {
        folder: format!("results/{}", recorded.name),
        commands,
        packs: packs
            .map(|path| from_root(path).display().to_string())
            .collect(),
        version,
    }
}

/// The `--set` arguments that make the recorded paths of files right again; none for a synthetic corpus or absolute paths.
fn relocated(config: &ExperimentConfig) -> Vec<String> {
    let mut sets = relocated_packs(&config.corpus);
    if let Some(words) = &config.measure.words {
        sets.extend(relocated_files(
            "measure.words.lexicon",
            words.lexicon.as_slice(),
        ));
        let model = std::slice::from_ref(&words.language_model);
        sets.extend(relocated_files("measure.words.language-model", model));
    }
    sets
}

fn relocated_packs(corpus: &CorpusConfig) -> Vec<String> {
    let mut sets: Vec<String> = Vec::new();
    sets.extend(relocated_files("corpus.pack", corpus.pack.as_slice()));
    sets.extend(relocated_files("corpus.packs", &corpus.packs));
    let test = corpus.test.as_ref().map(|test| ("corpus.test", test));
    for (key, set) in std::iter::once(("corpus.validation", &corpus.validation)).chain(test) {
        let key = match set {
            HeldOutSet::Packs(_) => format!("{key}.packs"),
            _ => format!("{key}.pack"),
        };
        sets.extend(relocated_files(&key, set.packs()));
    }
    sets
}

/// The `--set` argument of a key with one path, or of a key in the plural with a list of paths; none if no path changes.
fn relocated_files(key: &str, paths: &[PathBuf]) -> Option<String> {
    let is_moved = |path: &PathBuf| path.is_relative() && !is_from_record(path);
    if !paths.iter().any(is_moved) {
        return None;
    }
    let paths: Vec<String> = paths
        .iter()
        .map(|path| toml_string(&from_record(path)))
        .collect();
    let paths = paths.join(", ");
    Some(match key.ends_with("packs") {
        true => format!("{key}=[{paths}]"),
        false => format!("{key}={paths}"),
    })
}

fn pack_paths(corpus: &CorpusConfig) -> impl Iterator<Item = &PathBuf> {
    let test = corpus.test.as_ref();
    corpus
        .packs()
        .chain(corpus.validation.packs())
        .chain(test.map(HeldOutSet::packs).unwrap_or_default())
}

/// A recorded path, seen from the folder of the record.
fn from_record(path: &Path) -> PathBuf {
    match is_from_record(path) {
        true => path.into(),
        false => normalised(&Path::new(ORIGINAL_FOLDER).join(path)),
    }
}

/// A recorded path, seen from the project root.
fn from_root(path: &Path) -> PathBuf {
    normalised(&Path::new("results/name").join(from_record(path)))
}

/// Whether a path is relative to the folder of the record already: from `configs/` it would leave the project.
fn is_from_record(path: &Path) -> bool {
    normalised(path).starts_with("../..")
}

/// The path without `folder/..`.
fn normalised(path: &Path) -> PathBuf {
    let mut parts: Vec<Component> = Vec::new();
    for part in path.components() {
        match (part, parts.last()) {
            (Component::ParentDir, Some(Component::Normal(_))) => {
                parts.pop();
            }
            (Component::CurDir, _) => {}
            _ => parts.push(part),
        }
    }
    parts.iter().collect()
}

fn toml_string(path: &Path) -> String {
    let text = path.display().to_string();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// An argument of a shell command, in quotes if it needs them.
fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=".contains(c);
    match argument.chars().all(plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use padwise_experiment_config::HeldOutSpeakers;

    use super::*;

    fn packs(paths: &[&str], validation: HeldOutSet) -> CorpusConfig {
        CorpusConfig {
            packs: paths.iter().map(PathBuf::from).collect(),
            validation,
            ..CorpusConfig::default()
        }
    }

    #[test]
    fn relative_packs_are_found_from_the_folder_of_the_record() {
        let corpus = packs(
            &["../datasets/a.pack", "b.pack"],
            HeldOutSet::Speakers(HeldOutSpeakers::Count(6)),
        );
        assert_eq!(
            relocated_packs(&corpus),
            ["corpus.packs=[\"../../datasets/a.pack\", \"../../configs/b.pack\"]"]
        );
        let held_out = HeldOutSet::Pack("../datasets/c.pack".into());
        assert_eq!(
            relocated_packs(&packs(&["/data/a.pack"], held_out)),
            ["corpus.validation.pack=\"../../datasets/c.pack\""]
        );
        let several = HeldOutSet::Packs(vec!["d.pack".into(), "e.pack".into()]);
        let tested = CorpusConfig {
            test: Some(several),
            ..packs(&["/data/a.pack"], HeldOutSet::default())
        };
        assert_eq!(
            relocated_packs(&tested),
            ["corpus.test.packs=[\"../../configs/d.pack\", \"../../configs/e.pack\"]"]
        );
        // A record made by these commands has its paths right.
        let again = packs(
            &["../../datasets/a.pack"],
            HeldOutSet::Speakers(HeldOutSpeakers::Count(6)),
        );
        assert!(relocated_packs(&again).is_empty());
        for recorded in ["../datasets/a.pack", "../../datasets/a.pack"] {
            assert_eq!(from_root(Path::new(recorded)), Path::new("datasets/a.pack"));
        }
    }

    #[test]
    fn commands_name_the_features_that_a_run_needs() {
        assert_eq!(features(Some("cpu"), None), "");
        assert_eq!(features(Some("cuda"), None), " --features cuda");
        assert_eq!(
            features(Some("cuda"), Some(ParallelEngine::Mpi)),
            " --features cuda,mpi"
        );
        assert_eq!(features(Some("cpu"), Some(ParallelEngine::Turns)), "");
    }

    #[test]
    fn arguments_are_quoted_for_the_shell() {
        assert_eq!(quoted("results/quick-cpu"), "results/quick-cpu");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
