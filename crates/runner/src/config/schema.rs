//! The JSON schema of configs, for editors: what completes as one types, and what is underlined.
//!
//! Written out here, because half of the types belong to crates that know nothing of schemas; a test compares its keys with
//! those that configs really have.

use serde_json::{Map, Value, json};

use super::PaperColumn;

/// The schema, as the file beside the shipped configs has it.
pub fn schema() -> String {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "padwise experiment",
        "type": "object",
        "additionalProperties": false,
        "required": ["corpus", "strategy"],
        "properties": {
            "name": text("The folder of its results; the file's own name by default"),
            "title": text("What it shows, in a line above the table"),
            "corpus": corpus(),
            "features": features(),
            "model": model(),
            "train": train(),
            "measure": measure(),
            "strategy": {
                "description": "One row of the table each",
                "type": "array",
                "minItems": 1,
                "items": strategy(),
            },
        },
    });
    serde_json::to_string_pretty(&schema).unwrap_or_default()
}

fn object(description: &str, properties: Value) -> Value {
    json!({
        "description": description,
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

fn text(description: &str) -> Value {
    json!({ "description": description, "type": "string" })
}

fn flag(description: &str) -> Value {
    json!({ "description": description, "type": "boolean" })
}

fn whole(description: &str, least: u64) -> Value {
    json!({ "description": description, "type": "integer", "minimum": least })
}

fn above_zero(description: &str) -> Value {
    json!({ "description": description, "type": "number", "exclusiveMinimum": 0 })
}

fn one_of(description: &str, names: &[&str]) -> Value {
    json!({ "description": description, "enum": names })
}

/// A table with exactly one of these keys.
fn choice(description: &str, properties: Value) -> Value {
    let mut schema = object(description, properties);
    schema["minProperties"] = 1.into();
    schema["maxProperties"] = 1.into();
    schema
}

fn corpus() -> Value {
    object(
        "What is trained on: exactly one of pack, packs and synthetic",
        json!({
            "pack": text("A pack, by its path from this file's folder"),
            "packs": { "description": "Several packs, one after the other", "type": "array", "items": { "type": "string" } },
            "validation": choice("What validation is done on", json!({
                "share": above_zero("This share of the utterances, drawn at random, always the same ones"),
                "speakers": whole("All utterances of this many speakers, the last by name", 1),
                "fresh": whole("This many further utterances of the made-up corpus, by other speakers", 1),
                "pack": text("Another pack, by its path from this file's folder"),
            })),
            "synthetic": object("A made-up corpus: docs/synthetic-corpus.md", json!({
                "utterances": whole("How many utterances there are", 1),
                "profile": one_of("The corpus whose lengths they have", &["ljspeech", "chime4", "librispeech"]),
                "seed": whole("Who speaks, and what they say", 0),
                "language": whole("Which phone follows which, how phones sound, which states share a class", 0),
                "dims": whole("Numbers in a frame", 1),
                "classes": whole("Tied states", 123),
                "speakers": whole("How many people speak", 1),
                "noise": { "description": "The noise on each frame, as a multiple of the usual", "type": "number", "minimum": 0 },
            })),
        }),
    )
}

fn features() -> Value {
    object(
        "What is done to features before the model sees them",
        json!({
            "normalisation": one_of(
                "What they are normalised by, learnt from the training utterances alone",
                &["none", "utterance", "speaker", "global"],
            ),
            "in-memory": flag("Whether all of them are read into memory before the first epoch; by default where they are made up"),
        }),
    )
}

fn model() -> Value {
    object(
        "The model's shape; its inputs and its classes are the corpus's",
        json!({
            "layers": whole("Bidirectional layers", 1),
            "hidden": whole("Units in each direction of each layer", 1),
            "dropout": { "description": "The share of outputs dropped between layers while training", "type": "number", "minimum": 0, "exclusiveMaximum": 1 },
        }),
    )
}

fn train() -> Value {
    object(
        "How the model is trained",
        json!({
            "epochs": whole("Passes over the corpus", 1),
            "seeds": { "description": "One run of every strategy for each of these", "type": "array", "minItems": 1, "uniqueItems": true, "items": { "type": "integer", "minimum": 0 } },
            "batch-size": whole("The batch size of strategies that do not name one", 1),
            "objective": one_of("What is descended", &["frame-wise", "ctc"]),
            "optimiser": one_of("Which optimiser", &["adam", "adadelta"]),
            "learning-rate": above_zero("Its step size; 0.001 for Adam and 1 for ADADELTA by default"),
            "clip-norm": above_zero("The largest global gradient norm; none by default"),
            "divergence": { "description": "A run whose loss rises above this many times its first loss has diverged, and ends", "type": "number", "exclusiveMinimum": 1 },
            "stop-minutes": above_zero("A run ends after the epoch in which its training time passes this"),
            "stop-loss": above_zero("A run ends after the epoch whose validation loss is this or less"),
            "backend": one_of("Where to compute", &["auto", "cpu", "wgpu", "cuda"]),
            "recurrence": one_of("Which way of running the recurrence", &["auto", "fused", "persistent", "reference"]),
            "precision": one_of("The arithmetic of large products", &["f32", "bf16", "strict-f32"]),
            "loader-threads": whole("Threads that put batches together; 0 is a choice by the machine", 0),
            "schedule": {
                "description": "How the learning rate changes from epoch to epoch",
                "anyOf": [
                    { "const": "constant" },
                    choice("Multiplied by a factor every few epochs", json!({
                        "step": object("", json!({
                            "every": whole("Epochs between two changes", 1),
                            "factor": above_zero("What it is multiplied by"),
                        })),
                    })),
                ],
            },
        }),
    )
}

fn measure() -> Value {
    object(
        "What is measured, and how",
        json!({
            "warm-up-steps": whole("Steps on the epoch's largest batch before the clock starts", 0),
            "validation-batch": whole("Utterances in a batch of the fixed validation batches", 1),
            "validate-every": whole("Epochs from one validation to the next; the last epoch always has one", 1),
            "sequence-errors": flag("Whether errors in collapsed sequences are counted"),
            "baseline": text("The row that time saved is counted against"),
            "target-loss": above_zero("The validation loss that time is measured to; by default the lowest that every strategy reaches"),
        }),
    )
}

fn strategy() -> Value {
    let size = |description: &str| whole(description, 1);
    let limits = |first: &str, description: &str| {
        let mut properties = Map::new();
        properties.insert(first.into(), size(description));
        properties.insert("max-items".into(), size("The most items of a batch"));
        object("", Value::Object(properties))
    };
    let paper: Map<String, Value> = PaperColumn::ALL
        .iter()
        .map(|column| (column.name(), json!({ "type": "number" })))
        .collect();
    object(
        "A strategy, on one line or choice by choice",
        json!({
            "name": text("What the row is called; the strategy's one line by default"),
            "line": text("The strategy on one line, such as semi-sorted:lrf=0.1,shuffle-batches; `padwise analyze --help` has the grammar"),
            "items": {
                "anyOf": [
                    { "const": "utterances" },
                    choice("", json!({ "chunks": object("Pieces of utterances, in frames", json!({
                        "size": size("The length of a chunk"),
                        "step": size("From one chunk's start to the next one's"),
                        "minimum": size("Chunks shorter than this are dropped"),
                    })) })),
                ],
            },
            "order": {
                "anyOf": [
                    one_of("", &["random", "sorted", "smart"]),
                    choice("", json!({
                        "alternated": object("Shuffled, cut into bins, sorted up and down in turn", json!({ "bins": size("The number of bins") })),
                        "semi-sorted": object("By length plus noise", json!({ "lrf": { "type": "number", "minimum": 0 } })),
                        "bucketed": {
                            "anyOf": [
                                { "const": "mxnet" },
                                choice("", json!({
                                    "width": size("Frames from one bucket's end to the next one's"),
                                    "count": size("Utterances of a bucket"),
                                    "optimal": size("The number of buckets"),
                                })),
                            ],
                        },
                    })),
                ],
            },
            "batching": choice("When a batch is full", json!({
                "fixed": object("", json!({ "size": size("Items in a batch") })),
                "frames": limits("budget", "The most padded frames of a batch"),
                "dynamic": limits("base", "The size of a batch of the longest items"),
                "dynamic-overshoot": limits("base", "The size of a batch of the longest items, before the overshoot"),
            })),
            "last-batch": one_of("What becomes of a batch that is not full", &["keep", "drop"]),
            "padding": { "anyOf": [one_of("", &["longest", "bucket"]), choice("", json!({ "multiple": size("Rounded up to a multiple of this") }))] },
            "batch-order": one_of("The order of finished batches", &["as-built", "shuffled", "short-first", "long-first"]),
            "paper": object("What a paper reports for this row", Value::Object(paper)),
        }),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::RunConfig;

    /// The keys that a type knows: what it says when it is given one that it does not.
    fn keys_of(text: &str) -> BTreeSet<String> {
        let error = toml::from_str::<RunConfig>(text).expect_err("an unknown key");
        let message = error.message().to_owned();
        message
            .split('`')
            .skip(3)
            .step_by(2)
            .map(str::to_owned)
            .collect()
    }

    fn keys_in(schema: &Value, pointer: &str) -> BTreeSet<String> {
        let properties = schema.pointer(pointer).and_then(Value::as_object);
        properties.expect(pointer).keys().cloned().collect()
    }

    #[test]
    fn the_schema_has_the_keys_that_configs_have() {
        let schema: Value = serde_json::from_str(&schema()).expect("JSON");
        let at = |table: &str, pointer: &str| {
            let text = format!("{table}\nno-such-key = 1\n");
            assert_eq!(keys_of(&text), keys_in(&schema, pointer), "{table}");
        };
        at("", "/properties");
        for table in ["corpus", "features", "model", "train", "measure"] {
            at(
                &format!("[{table}]"),
                &format!("/properties/{table}/properties"),
            );
        }
        at(
            "[corpus.synthetic]",
            "/properties/corpus/properties/synthetic/properties",
        );
        let row = "/properties/strategy/items/properties";
        at("[corpus]\n[[strategy]]", row);
        at(
            "[corpus]\n[[strategy]]\n[strategy.paper]",
            &format!("{row}/paper/properties"),
        );
    }

    #[test]
    fn the_schema_has_the_names_that_configs_have() {
        let schema: Value = serde_json::from_str(&schema()).expect("JSON");
        let train = "/properties/train/properties";
        for (key, pointer) in [
            ("train.backend", format!("{train}/backend")),
            ("train.objective", format!("{train}/objective")),
            ("train.optimiser", format!("{train}/optimiser")),
            ("train.precision", format!("{train}/precision")),
            ("train.recurrence", format!("{train}/recurrence")),
            (
                "features.normalisation",
                "/properties/features/properties/normalisation".into(),
            ),
        ] {
            let known = keys_of(&format!("{key} = \"no-such-name\"\n[corpus]\n"));
            let names = schema
                .pointer(&format!("{pointer}/enum"))
                .and_then(Value::as_array);
            let names: BTreeSet<String> = names
                .expect("names")
                .iter()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect();
            assert_eq!(known, names, "{key}");
        }
    }
}
