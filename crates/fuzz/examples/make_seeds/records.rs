//! Seeds of results folders.

use padwise_fuzz::parts;

use crate::{Made, Seeds};

const FIXTURES: &str = "crates/report/tests/fixtures";

pub(crate) fn results(seeds: &Seeds) -> Made {
    for name in ["one-seed", "troubled", "overfitted"] {
        let read = |file: &str| seeds.file(&format!("{FIXTURES}/{name}/{file}"));
        let (config, epochs) = (read("config.toml")?, read("epochs.csv")?);
        let folder = parts::join(&[&config, &epochs, &read("environment.json")?]);
        seeds.add("epochs", name, &epochs)?;
        seeds.add("results", name, &folder)?;
        seeds.add("report", name, &folder)?;
    }
    word_errors(seeds)?;
    worker_times(seeds)?;
    let config = seeds.file(&format!("{FIXTURES}/one-seed/config.toml"))?;
    seeds.add("config", "results.toml", &config)?;
    let epochs = String::from_utf8(seeds.file(&format!("{FIXTURES}/one-seed/epochs.csv"))?)?;
    let lines: Vec<&str> = epochs.lines().collect();
    let (header, first) = (lines[0], lines[1]);
    let damaged = |epoch: &str| first.replacen(",7,1,", &format!(",7,{epoch},"), 1);
    for (name, lines) in [
        ("bad-epoch-0", vec![header.to_string(), damaged("0")]),
        ("bad-epoch-99", vec![header.into(), damaged("99")]),
        (
            "bad-epoch-largest",
            vec![header.into(), damaged("18446744073709551615")],
        ),
        (
            "bad-duplicates",
            vec![header.into(), first.into(), first.into()],
        ),
        (
            "bad-infinite-times",
            vec![header.into(), first.replace(",31.8751,", ",inf,")],
        ),
        (
            "bad-huge-times",
            vec![header.into(), first.replace(",31.8751,", ",1e308,")],
        ),
        (
            "bad-negative-times",
            vec![header.into(), first.replace(",31.8751,", ",-5.0,")],
        ),
        (
            "bad-counts",
            vec![
                header.into(),
                first.replace(",8738,", ",18446744073709551615,"),
            ],
        ),
    ] {
        let epochs = lines.join("\n") + "\n";
        seeds.add("epochs", name, &epochs)?;
        seeds.add(
            "results",
            name,
            parts::join(&[&config[..], epochs.as_bytes()]),
        )?;
    }
    Ok(())
}

/// A record with word errors, and the same with damaged ones.
fn word_errors(seeds: &Seeds) -> Made {
    let read = |file: &str| -> Result<String, Box<dyn std::error::Error>> {
        let bytes = seeds.file(&format!("{FIXTURES}/words/{file}"))?;
        Ok(String::from_utf8(bytes)?)
    };
    let (config, epochs) = (read("config.toml")?, read("epochs.csv")?);
    let environment = read("environment.json")?;
    let (words, utterances) = (read("words.csv")?, read("test-utterances.csv")?);
    let decoding = read("decoding.json")?;
    let folder = |words: &str, utterances: &str, decoding: &str| {
        let record = [&config, &epochs, &environment];
        let record = record.map(String::as_str);
        parts::join(&[&record[..], &[words, utterances, decoding]].concat())
    };
    let valid = folder(&words, &utterances, &decoding);
    seeds.add("results", "words", &valid)?;
    seeds.add("report", "words", &valid)?;
    seeds.add("config", "words.toml", &config)?;
    let first = words.lines().nth(1).unwrap_or_default();
    let other = utterances.replacen("utt-001", "utt-000", 1);
    for (name, words, utterances) in [
        (
            "bad-words-duplicate-run",
            format!("{words}{first}\n"),
            &utterances,
        ),
        (
            "bad-words-sum",
            words.replacen(",80,", ",81,", 1),
            &utterances,
        ),
        (
            "bad-words-numbers",
            words.replacen(" 0", " x", 1),
            &utterances,
        ),
        (
            "bad-words-largest",
            words.replacen(" 0", " 4294967295", 1),
            &utterances,
        ),
        ("bad-words-utterances", words.clone(), &other),
    ] {
        seeds.add("results", name, folder(&words, utterances, &decoding))?;
    }
    let infinite = decoding.replacen("11.0", "1e999", 1);
    seeds.add(
        "results",
        "bad-words-decoding",
        folder(&words, &utterances, &infinite),
    )
}

/// A record with times of workers, and the same with damaged ones. It has no word errors, so those files are empty.
fn worker_times(seeds: &Seeds) -> Made {
    let read = |file: &str| -> Result<String, Box<dyn std::error::Error>> {
        let bytes = seeds.file(&format!("{FIXTURES}/workers/{file}"))?;
        Ok(String::from_utf8(bytes)?)
    };
    let (config, epochs) = (read("config.toml")?, read("epochs.csv")?);
    let (environment, workers) = (read("environment.json")?, read("workers.csv")?);
    seeds.add("config", "workers.toml", &config)?;
    // An empty decoding.json is refused, so the seeds have a valid one.
    let decoding = seeds.file(&format!("{FIXTURES}/words/decoding.json"))?;
    let decoding = String::from_utf8(decoding)?;
    let folder =
        |workers: &str| parts::join(&[&config, &epochs, &environment, "", "", &decoding, workers]);
    seeds.add("results", "workers", folder(&workers))?;
    seeds.add("report", "workers", folder(&workers))?;
    let first = workers.lines().nth(1).unwrap_or_default();
    let of_two = "\"random, 2 workers\",1,1,2,";
    for (name, workers) in [
        ("bad-workers-duplicate", format!("{workers}{first}\n")),
        (
            "bad-workers-count",
            workers.replacen(of_two, "\"random, 2 workers\",1,1,18446744073709551615,", 1),
        ),
        (
            "bad-workers-infinite",
            workers.replacen(of_two, &format!("{of_two}inf"), 1),
        ),
        (
            "bad-workers-zero",
            workers.replacen(",1,32.2101,", ",1,0,", 1),
        ),
        (
            "bad-workers-numbers",
            workers.replacen(of_two, &format!("{of_two} "), 1),
        ),
    ] {
        seeds.add("results", name, folder(&workers))?;
    }
    let identity =
        r#"{"corpus": [{"file": "a.pack", "bytes": 7, "checksum": "43247c6c93ef0f35"}]}"#;
    for (name, identity) in [
        ("identity", identity.to_owned()),
        ("bad-identity", identity.replacen('7', "-7", 1)),
    ] {
        let corpus = parts::join(&[folder(&workers).as_slice(), identity.as_bytes()]);
        seeds.add("results", name, corpus)?;
    }
    Ok(())
}
