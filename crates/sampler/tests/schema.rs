//! JSON schemas (feature `schemars`) use the names of the TOML form.

use padwise_sampler::{BatchOrder, Batching, Items, Profile, Strategy};
use schemars::{JsonSchema, schema_for};

fn schema<T: JsonSchema>() -> String {
    serde_json::to_string(&schema_for!(T)).expect("JSON")
}

#[test]
fn schemas_have_the_names_of_the_toml_form() {
    let strategy = schema::<Strategy>();
    for name in [
        "items",
        "order",
        "batching",
        "last-batch",
        "padding",
        "batch-order",
        "semi-sorted",
        "mxnet",
        "drop",
        "multiple",
    ] {
        assert!(strategy.contains(&format!("\"{name}\"")), "{name}");
    }
    assert!(strategy.contains("\"required\":[\"order\",\"batching\"]"));
    assert!(strategy.contains("\"additionalProperties\":false"));
    assert!(schema::<Batching>().contains("\"max-items\""));
    assert!(schema::<Items>().contains("\"utterances\""));
    assert!(schema::<BatchOrder>().contains("\"short-first\""));
    assert!(schema::<BatchOrder>().contains("\"shuffled-later\""));
    assert!(schema::<Profile>().contains("\"librispeech\""));
}

/// Sizes of 0 are invalid, so editors mark them too.
#[test]
fn no_schema_of_a_size_allows_zero() {
    let strategy = schema::<Strategy>();
    assert!(
        !strategy.contains("\"format\":\"uint32\",\"minimum\":0"),
        "{strategy}"
    );
    assert!(
        !strategy.contains("\"format\":\"uint64\",\"minimum\":0"),
        "{strategy}"
    );
}
