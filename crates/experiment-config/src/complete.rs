//! The config with every default: keys that are not set get their effective value or a comment.

use serde_json::Value;

use crate::config::ExperimentConfig;
use crate::json_schema;
use crate::reference::split_default;

/// Sections in which every key gets a line. In `[corpus]` and `[[strategy]]` keys are alternatives of each other.
const SECTIONS: [&str; 7] = [
    "",
    "features",
    "model",
    "train",
    "train.parallel",
    "measure",
    "measure.words",
];

impl ExperimentConfig {
    /// The config as TOML with every default. A key without a value becomes a comment such as `# clip-norm: no clipping`.
    ///
    /// Reading the text gives the same experiment.
    pub fn to_complete_toml(&self) -> Result<String, toml::ser::Error> {
        let mut config = self.written();
        config.features.in_memory = Some(self.keeps_corpus_in_memory());
        config.train.learning_rate = Some(self.train.learning_rate());
        let schema: Value = serde_json::from_str(&json_schema::schema()).unwrap_or_default();
        let text = toml::to_string(&config)?;
        let mut complete = String::new();
        for section in sections(&text) {
            complete += section.text.trim_end();
            complete.push('\n');
            if SECTIONS.contains(&section.name) {
                complete += &comments(&schema, &text, &section);
            }
            complete.push('\n');
        }
        let complete = complete.trim_end().to_owned() + "\n";
        Ok(match self.train.loader_threads {
            0 => with_threads(&complete, self.train.loader_threads()),
            _ => complete,
        })
    }
}

/// The lines from one header to the next.
struct Section<'a> {
    name: &'a str,
    text: &'a str,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let starts = text.match_indices("\n[").map(|(at, _)| at + 1);
    let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let ranges = starts.iter().zip(ends);
    ranges
        .map(|(&start, end)| {
            let text = &text[start..end];
            let header = text.lines().next().unwrap_or_default();
            let name = header
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'));
            Section {
                name: name.unwrap_or_default(),
                text,
            }
        })
        .collect()
}

/// A comment for every key of the schema that the section of `text` lacks.
fn comments(schema: &Value, text: &str, section: &Section<'_>) -> String {
    let names = section.name.split('.').filter(|name| !name.is_empty());
    let table = names.fold(schema, |table, name| &table["properties"][name]);
    let keys = table["properties"].as_object();
    let comment = |(key, value): (&String, &Value)| {
        let set = format!("{key} = ");
        let is_set = section.text.lines().any(|line| line.starts_with(&set));
        let description = value["description"].as_str().unwrap_or_default();
        let (_, default) = split_default(description);
        let has_section = text.contains(&format!("\n[{}.{key}]\n", section.name));
        let default = default.filter(|_| !is_set && !has_section)?;
        Some(format!("# {key}: {}\n", default.replace('`', "")))
    };
    keys.into_iter().flatten().filter_map(comment).collect()
}

/// Adds what 0 loader threads mean on this machine.
fn with_threads(text: &str, threads: usize) -> String {
    let line = "\nloader-threads = 0\n";
    let explained = format!("\nloader-threads = 0  # {threads} on this machine\n");
    text.replacen(line, &explained, 1)
}
