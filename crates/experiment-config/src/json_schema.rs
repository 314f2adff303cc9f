//! The JSON schema of configs. Editors use it to complete and check keys.

use schemars::generate::SchemaSettings;
use serde_json::json;

use crate::config::WrittenConfig;

/// The JSON schema of configs, derived from [`WrittenConfig`].
pub fn schema() -> String {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<WrittenConfig>();
    schema.insert("title".into(), "padwise experiment".into());
    // Reading accepts a file without strategies, so `resolve` can report them missing. Editors should ask for one.
    schema.insert("required".into(), json!(["corpus", "strategy"]));
    serde_json::to_string_pretty(&schema).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::config::WrittenConfig;

    /// The keys of a type, taken from its error about an unknown key.
    fn keys_of(text: &str) -> BTreeSet<String> {
        let error = toml::from_str::<WrittenConfig>(text).expect_err("an unknown key");
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
        at(
            "[measure.words]",
            "/properties/measure/properties/words/properties",
        );
        let row = "/properties/strategy/items/properties";
        at("[corpus]\n[[strategy]]", row);
        at(
            "[corpus]\n[[strategy]]\n[strategy.paper]",
            &format!("{row}/paper/properties"),
        );
    }
}
