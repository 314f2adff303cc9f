//! The JSON schema of configs, for editors: what completes as one types, and what is underlined.

use schemars::generate::SchemaSettings;

use crate::config::WrittenConfig;

/// The schema, derived from the types that configs are read into.
pub fn schema() -> String {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<WrittenConfig>();
    schema.insert("title".into(), "padwise experiment".into());
    serde_json::to_string_pretty(&schema).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::WrittenConfig;

    /// The keys that a type knows: what it says when it is given one that it does not.
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
